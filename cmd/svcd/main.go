// Command svcd is the daemon. What it does is in daemon; its command line in daemon/command.
package main

import (
	"os"

	"edgesvc.dev/svc/daemon/command"
)

func main() { os.Exit(command.Main()) }

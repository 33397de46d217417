// Command svcd is the daemon. Everything it does is in package daemon.
package main

import (
	"os"

	"edgesvc.dev/svc/daemon"
)

func main() { os.Exit(daemon.Main()) }

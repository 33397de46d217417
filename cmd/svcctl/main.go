// Command svcctl works with a svc daemon from the command line.
package main

import (
	"os"

	"edgesvc.dev/svc/cli"
)

func main() { os.Exit(cli.Main()) }

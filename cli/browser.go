package cli

import (
	"fmt"
	"net/url"
	"os/exec"
	"runtime"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// open shows a web page or a file in the browser.
func (a *app) open(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" {
		return fmt.Errorf("%q cannot be opened in a browser", address)
	}
	a.io.Say("opening %s", terminal.Line(address))
	program := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		program = []string{"open"}
	case "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(program[0], append(program[1:], u.String())...)
	if err := cmd.Run(); err != nil {
		return &failure{Exit: exitOther, Code: "no_browser", Message: "no browser could be started", Hint: "open " + u.String()}
	}
	return nil
}

package kit

import (
	"fmt"
	"net/url"
	"os/exec"
	"runtime"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// Open shows a web page or a file in the browser.
func (a *App) Open(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" {
		return fmt.Errorf("%q cannot be opened in a browser", address)
	}
	a.IO.Say("opening %s", terminal.Line(address))
	program := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		program = []string{"open"}
	case "windows":
		program = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(program[0], append(program[1:], u.String())...)
	if err := cmd.Run(); err != nil {
		return &Failure{Exit: ExitOther, Code: "no_browser", Message: "no browser could be started", Hint: "open " + u.String()}
	}
	return nil
}

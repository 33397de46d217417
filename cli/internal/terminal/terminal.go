// Package terminal is where a command talks: standard input, output and error
// as one value, with what is known of the terminal behind each. It keeps text
// from a server from steering that terminal. It knows no command and no API.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// IO is the streams of one command. Data goes to Out, everything said about it
// to Err.
type IO struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTTY, OutTTY, ErrTTY bool
	// Width is the columns of the terminal, 0 when output goes elsewhere.
	Width int
	// NoInput forbids prompts.
	NoInput bool

	colour, errColour bool

	pager  string // command line, "" for none
	height int    // lines of the terminal, 0 when output goes elsewhere
}

// System is the process's own streams, with colours as NO_COLOR and
// CLICOLOR_FORCE (https://no-color.org, https://bixense.com/clicolors) ask.
func System(getenv func(string) string) *IO {
	t := &IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY:   term.IsTerminal(int(os.Stdin.Fd())),
		OutTTY:  term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY:  term.IsTerminal(int(os.Stderr.Fd())),
		NoInput: truthy(getenv("SVC_NO_INPUT")),
	}
	t.Width = width(getenv("COLUMNS"), t.OutTTY)
	t.pager, t.height = pagerOf(getenv), height(t.OutTTY)
	t.colour = colour(getenv, t.OutTTY)
	t.errColour = colour(getenv, t.ErrTTY)
	return t
}

func colour(getenv func(string) string, tty bool) bool {
	switch {
	case getenv("NO_COLOR") != "":
		return false
	case truthy(getenv("CLICOLOR_FORCE")):
		return true
	}
	return tty && getenv("TERM") != "dumb"
}

func width(columns string, tty bool) int {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		return n
	}
	if !tty {
		return 0
	}
	n, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 80
	}
	return n
}

func truthy(s string) bool { return s != "" && s != "0" && s != "false" }

// CanPrompt reports whether there is a person to ask.
func (t *IO) CanPrompt() bool { return t.InTTY && t.ErrTTY && !t.NoInput }

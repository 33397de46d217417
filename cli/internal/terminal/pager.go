package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// pagerOf is the command line of the pager, "" for none: SVC_PAGER, PAGER, or
// less where it is installed. NO_PAGER, cat and a dumb terminal are none.
func pagerOf(getenv func(string) string) string {
	if truthy(getenv("NO_PAGER")) || getenv("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"SVC_PAGER", "PAGER"} {
		if line := strings.TrimSpace(getenv(name)); line == "cat" {
			return ""
		} else if line != "" {
			return line
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// lessOptions make less end by itself where all fits, keep colours and leave the
// text on the screen. Who has options of their own keeps them.
const lessOptions = "FRX"

// Paged runs show with a pager behind Out when the output is a terminal and what
// is written has more lines than that. Quitting the pager is not an error.
func (t *IO) Paged(show func() error) error {
	if _, already := t.Out.(*pager); already || !t.OutTTY || t.pager == "" || t.height == 0 {
		return show()
	}
	p := &pager{out: t.Out, err: t.Err, line: t.pager, room: t.height - 1}
	before := t.Out
	t.Out = p
	err := show()
	t.Out = before
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = nil // the reader has seen enough
	}
	return errors.Join(err, p.close())
}

// pager holds what is written back until it is more than the screen shows, and
// gives it to a program then.
type pager struct {
	out, err io.Writer
	line     string
	room     int // lines that fit

	held    bytes.Buffer
	lines   int
	program *exec.Cmd
	in      io.WriteCloser
}

// Write implements io.Writer.
func (p *pager) Write(b []byte) (int, error) {
	if p.in != nil {
		return p.in.Write(b)
	}
	p.lines += bytes.Count(b, []byte{'\n'})
	p.held.Write(b)
	if p.lines <= p.room {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		p.room = int(^uint(0) >> 1) // it cannot be run: everything goes to the terminal
		return len(b), nil
	}
	_, err := p.in.Write(p.held.Bytes())
	return len(b), err
}

func (p *pager) start() error {
	words := strings.Fields(p.line)
	program := exec.Command(words[0], words[1:]...)
	program.Stdout, program.Stderr = p.out, p.err
	program.Env = os.Environ()
	if os.Getenv("LESS") == "" {
		program.Env = append(program.Env, "LESS="+lessOptions)
	}
	in, err := program.StdinPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return err
	}
	p.program, p.in = program, in
	return nil
}

// close shows what was held back, or waits until the reader leaves the pager.
func (p *pager) close() error {
	if p.in == nil {
		_, err := p.out.Write(p.held.Bytes())
		return err
	}
	_ = p.in.Close()     // the reader may have left before the end
	_ = p.program.Wait() // how a pager ends says nothing about the command
	return nil
}

// height is the lines of the terminal, 0 when output goes elsewhere.
func height(tty bool) int {
	if !tty {
		return 0
	}
	_, n, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return n
}

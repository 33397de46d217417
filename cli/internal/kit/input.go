package kit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// maxInput bounds what is read from a file or standard input.
const maxInput = 16 << 20

// Text is an argument that may be @file or @- for what a file or standard
// input holds.
func (a *App) Text(argument string) (string, error) {
	name, ok := strings.CutPrefix(argument, "@")
	if !ok {
		return argument, nil
	}
	b, err := a.ReadInput(name)
	return string(b), err
}

// ReadInput reads a file, or standard input for "-".
func (a *App) ReadInput(name string) ([]byte, error) {
	r := a.IO.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, Usage("%v", err)
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", terminal.Line(name), err)
	}
	if len(b) > maxInput {
		return nil, Usage("%s is larger than %d MiB", name, maxInput>>20)
	}
	return b, nil
}

// References are the objects that the arguments name; - stands for those that
// standard input names, one a line.
func (a *App) References(args []string) ([]string, error) {
	var refs []string
	for _, arg := range args {
		if arg != "-" {
			refs = append(refs, arg)
			continue
		}
		b, err := a.ReadInput("-")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(b)) {
			if ref := strings.TrimSpace(line); ref != "" {
				refs = append(refs, ref)
			}
		}
	}
	return refs, nil
}

// maxPiped is the most that a message may be on standard input.
const maxPiped = 64 << 10

// TextArgument is a text from the command line, or standard input for -.
func (a *App) TextArgument(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(io.LimitReader(a.IO.In, maxPiped))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// SecretInput reads a credential from standard input, or asks for it.
func (a *App) SecretInput(question string, stdin bool) (string, error) {
	if a.IO.CanPrompt() {
		return a.IO.AskSecret(question)
	}
	if !stdin {
		return "", fmt.Errorf("%s %w; --password-stdin reads it from standard input", strings.TrimSuffix(question, ":"), terminal.ErrNoTerminal)
	}
	secret, err := a.IO.ReadLine()
	if err == nil && secret == "" || errors.Is(err, io.EOF) {
		return "", Usage("standard input is empty; it should hold: %s", strings.TrimSuffix(question, ":"))
	}
	return secret, err
}

package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrNoTerminal says that a question could not be asked.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// maxLine bounds what is read as one line, such as a key from a pipe.
const maxLine = 64 << 10

// Say writes one line of talk.
func (t *IO) Say(format string, args ...any) {
	fmt.Fprintf(t.Err, format+"\n", args...)
}

// Ask reads an answer of one line.
func (t *IO) Ask(question string) (string, error) {
	if !t.CanPrompt() {
		return "", ErrNoTerminal
	}
	fmt.Fprint(t.Err, question+" ")
	return t.ReadLine()
}

// AskSecret reads an answer that is not shown.
func (t *IO) AskSecret(question string) (string, error) {
	if !t.CanPrompt() {
		return "", ErrNoTerminal
	}
	fmt.Fprint(t.Err, question+" ")
	defer fmt.Fprintln(t.Err)
	b, err := term.ReadPassword(int(os.Stdin.Fd()))
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return string(b), nil
}

// ReadLine reads the first line of standard input.
func (t *IO) ReadLine() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(t.In, maxLine)).ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || line == "") {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return strings.TrimSpace(line), nil
}

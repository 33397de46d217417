// Package template fills in the placeholders of tasks, in Liquid
// (https://shopify.github.io/liquid), with the expressions of osteele/liquid.
//
// It is for templates and values of people who are not trusted: a template reads
// no file, works for a bounded time and writes a bounded text, and a value is
// written so that it stays a value in the place where it stands. A placeholder
// without a value is reported, never left blank. It does not know what a task is.
package template

import (
	"errors"
	"fmt"

	"github.com/osteele/liquid/parser"
)

// The bounds of a template.
const (
	MaxOutput = 256 << 10 // bytes of a text

	maxDepth      = 100      // tags within tags
	maxExpression = 1000     // bytes of one expression
	maxValue      = 64 << 10 // bytes of a value that a filter or capture makes
	maxItems      = 10_000   // of a loop or list
	maxSteps      = 200_000  // of work; see run.spend
)

// Place says what a value has to be written for.
type Place int

// The places.
const (
	Plain  Place = iota
	JSON         // inside a string of a JSON text, or where one of its values stands
	Form         // application/x-www-form-urlencoded
	URL          // path, then query
	Header       // one line
	Prompt       // a language model's instructions
)

// Input is what a template is filled with.
type Input struct {
	Place  Place
	Values map[string]any // as encoding/json decodes objects
	// Fence marks values in a Prompt. It is not known to whoever wrote them.
	Fence string
}

// Output is the filled text. Missing names the placeholders that have no value,
// in the order of their first use; Text is of no use then.
type Output struct {
	Text    string
	Missing []string
}

// ErrLimit means that a template asks for more work or text than is allowed.
var ErrLimit = errors.New("the template does too much")

// Check parses a template; its error is for whoever wrote it.
func Check(source string) error {
	_, err := parse(source)
	return err
}

// Static reports whether source has no placeholder and no tag, and returns what
// stands before the first.
func Static(source string) (before string, all bool) {
	for _, t := range parser.Scan(source, parser.SourceLoc{}, nil) {
		if t.Type != parser.TextTokenType {
			return before, false
		}
		before += t.Source
	}
	return before, true
}

// Render fills a template in. Its error is for whoever wrote it.
func Render(source string, in Input) (out Output, err error) {
	nodes, err := parse(source)
	if err != nil {
		return out, err
	}
	defer recovered(&err)
	r := newRun(in)
	w := &writer{place: in.Place, fence: in.Fence, limit: MaxOutput}
	if err := r.all(nodes, w); err != nil && !errors.Is(err, errBreak) && !errors.Is(err, errContinue) {
		return out, err
	}
	return Output{Text: w.String(), Missing: r.missing}, nil
}

// recovered turns a panic of the expression library into an error: it panics for
// numbers that are too large, among others.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the template cannot be read: %.200v", p)
	}
}

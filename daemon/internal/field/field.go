// Package field holds the rules for text that people send and that a schema
// cannot say: lines without control characters, tags without repetitions, HTML
// of a bounded size. It knows no object: the pointers are its callers'.
package field

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

const (
	maxHTML = 1 << 20
	maxTag  = 60
)

// Failures collects everything that is wrong with an input.
type Failures []api.FieldError

// Add notes what is wrong with the member at pointer.
func (f *Failures) Add(pointer, code, message string, args ...any) {
	*f = append(*f, api.FieldError{Pointer: pointer, Code: code, Message: fmt.Sprintf(message, args...)})
}

// Err is the refusal of the input, nil when nothing is wrong.
func (f Failures) Err() error {
	if len(f) == 0 {
		return nil
	}
	return api.InvalidFields(f...)
}

// Errors are the failures that a refusal names.
func Errors(err error) []api.FieldError {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Errors
	}
	return nil
}

// CheckHTML refuses content that is too large.
func CheckHTML(content string) error {
	if len(content) <= maxHTML {
		return nil
	}
	e := api.NewError(http.StatusUnprocessableEntity, api.CodeHTMLTooLarge, "The content may have at most %d bytes, this has %d.", maxHTML, len(content))
	e.Errors = []api.FieldError{{Pointer: "/content", Code: string(api.CodeHTMLTooLarge), Message: "is too large"}}
	return e
}

// Content notes control characters in HTML.
func (f *Failures) Content(content string) {
	if HasControl(content, "\t\n\r") {
		f.Add("/content", "control_character", "has a control character")
	}
}

// Title is a line that cannot be empty.
func (f *Failures) Title(pointer string, s *string) {
	f.Line(pointer, s)
	if *s == "" {
		f.Add(pointer, "required", "cannot be empty")
	}
}

// Line trims a text of one line.
func (f *Failures) Line(pointer string, s *string) {
	*s = strings.TrimSpace(*s)
	if HasControl(*s, "") {
		f.Add(pointer, "control_character", "has a control character or a line break")
	}
}

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// Locale notes what is no language tag; none is fine.
func (f *Failures) Locale(locale string) {
	if locale != "" && !localePattern.MatchString(locale) {
		f.Add("/locale", "format", "must be a language tag, like en or pt-BR")
	}
}

// FoldTag is what tags are compared by: their case does not matter.
func FoldTag(tag string) string { return strings.ToLower(tag) }

// Tags trims them and drops repetitions, which differ at most in case.
func (f *Failures) Tags(tags []string) []string {
	seen := make(map[string]bool, len(tags))
	kept := make([]string, 0, len(tags))
	for i, tag := range tags {
		at := fmt.Sprintf("/tags/%d", i)
		f.Line(at, &tag)
		switch n := utf8.RuneCountInString(tag); {
		case n == 0:
			f.Add(at, "required", "cannot be empty")
		case n > maxTag:
			f.Add(at, "too_long", "may have at most %d characters, this has %d", maxTag, n)
		}
		if fold := FoldTag(tag); !seen[fold] {
			seen[fold] = true
			kept = append(kept, tag)
		}
	}
	return kept
}

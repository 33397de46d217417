package template

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/osteele/liquid/values"
)

// writer collects the text of a template and writes values as their place wants
// them.
type writer struct {
	strings.Builder
	place Place
	fence string
	limit int

	query         bool // URL: behind the question mark
	quoted, slash bool // JSON: inside a string, behind a backslash
}

func (w *writer) put(s string) error {
	if w.Len()+len(s) > w.limit {
		return ErrLimit
	}
	w.WriteString(s)
	return nil
}

// literal writes text of the template itself.
func (w *writer) literal(s string) error {
	switch w.place {
	case URL:
		w.query = w.query || strings.ContainsAny(s, "?")
	case JSON:
		for i := range len(s) {
			switch {
			case w.slash:
				w.slash = false
			case s[i] == '\\':
				w.slash = w.quoted
			case s[i] == '"':
				w.quoted = !w.quoted
			}
		}
	}
	return w.put(s)
}

// shown is a value as text; structure says that it is JSON.
type shown struct {
	text      string
	isText    bool // a string, rather than a number, a truth or a structure
	structure bool
}

func show(v any) (shown, error) {
	switch v := v.(type) {
	case string:
		return shown{text: v, isText: true}, nil
	case bool:
		return shown{text: strconv.FormatBool(v)}, nil
	case int:
		return shown{text: strconv.Itoa(v)}, nil
	case float64:
		return shown{text: strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case map[string]any, []any:
		b, err := encode(v)
		return shown{text: b, structure: true}, err
	case values.Range:
		return shown{}, errors.New("a range can be looped over, not written")
	}
	return shown{}, errors.New("this value cannot be written")
}

func encode(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// value writes what a placeholder stands for.
func (w *writer) value(s shown) error {
	switch w.place {
	case JSON:
		return w.jsonValue(s)
	case Form:
		return w.put(url.QueryEscape(s.text))
	case URL:
		if w.query {
			return w.put(url.QueryEscape(s.text))
		}
		return w.put(url.PathEscape(s.text))
	case Header:
		if strings.ContainsFunc(s.text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return errors.New("a value with line ends or control characters cannot stand in a header")
		}
		return w.put(s.text)
	case Prompt:
		if !s.isText && !s.structure {
			return w.put(s.text)
		}
		return w.put("<<<" + w.fence + " " + strings.ReplaceAll(s.text, w.fence, "") + " " + w.fence + ">>>")
	}
	return w.put(s.text)
}

// jsonValue writes a value as JSON: inside a string as a part of it, elsewhere
// whole.
func (w *writer) jsonValue(s shown) error {
	if !w.quoted && !s.isText {
		return w.put(s.text)
	}
	quoted, err := encode(s.text)
	if err != nil {
		return err
	}
	if w.quoted {
		quoted = quoted[1 : len(quoted)-1]
	}
	return w.put(quoted)
}

package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrValue refuses a text that is not a value of its member.
var ErrValue = errors.New("value")

// Encode is the JSON of what a person wrote for the member. A list takes all
// texts, everything else the last. An empty text clears what can be cleared.
// instant reads a time.
func (m Member) Encode(texts []string, instant func(string) (time.Time, error)) (json.RawMessage, error) {
	last := ""
	if len(texts) > 0 {
		last = texts[len(texts)-1]
	}
	if last == "" && m.Nullable {
		return json.RawMessage("null"), nil
	}
	switch m.Kind {
	case Bool:
		b, err := strconv.ParseBool(last)
		return encoded(b, refuse(err, "true or false", last))
	case Int:
		n, err := strconv.ParseInt(last, 10, 64)
		return encoded(n, refuse(err, "a whole number", last))
	case Number:
		n, err := strconv.ParseFloat(last, 64)
		return encoded(n, refuse(err, "a number", last))
	case Time:
		t, err := instant(last)
		return encoded(t.UTC().Format(time.RFC3339Nano), err)
	case List:
		return encoded(nonEmpty(texts), nil)
	case Pairs:
		return m.encodePairs(nonEmpty(texts))
	case JSON:
		if !json.Valid([]byte(last)) {
			return nil, refuse(ErrValue, "JSON", last)
		}
		return json.RawMessage(last), nil
	}
	s, err := m.oneOf(last)
	return encoded(s, err)
}

// encodePairs reads NAME=TEXT.
func (m Member) encodePairs(texts []string) (json.RawMessage, error) {
	objects := []map[string]string{}
	for _, text := range texts {
		name, rest, ok := strings.Cut(text, "=")
		if !ok {
			return nil, refuse(ErrValue, strings.ToUpper(m.pair[0])+"="+strings.ToUpper(m.pair[1]), text)
		}
		objects = append(objects, map[string]string{m.pair[0]: strings.TrimSpace(name), m.pair[1]: strings.TrimSpace(rest)})
	}
	return encoded(objects, nil)
}

// oneOf finds the value of an enumeration that a text means in any case.
func (m Member) oneOf(s string) (string, error) {
	if len(m.Enum) == 0 {
		return s, nil
	}
	for _, value := range m.Enum {
		if strings.EqualFold(value, s) {
			return value, nil
		}
	}
	return "", refuse(ErrValue, Choices(m.Enum), s)
}

// Choices writes values as a phrase: draft, published or archived.
func Choices(values []string) string {
	lower := make([]string, len(values))
	for i, v := range values {
		lower[i] = strings.ToLower(v)
	}
	if n := len(lower); n > 1 {
		return strings.Join(lower[:n-1], ", ") + " or " + lower[n-1]
	}
	return strings.Join(lower, "")
}

func nonEmpty(texts []string) []string {
	kept := []string{}
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return kept
}

func refuse(err error, want, got string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w must be %s, not %q", ErrValue, want, got)
}

func encoded(v any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n")), nil
}

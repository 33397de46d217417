package condition

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
)

// test decides about the value of a field, which is nil where there is none.
type test func(have any, now time.Time) bool

// operators make a test of a rule's value.
var operators = map[string]func(value json.RawMessage) (test, error){
	"eq": func(v json.RawMessage) (test, error) {
		want, err := scalar(v)
		return func(have any, _ time.Time) bool { return have != nil && same(have, want) }, err
	},
	"ne": func(v json.RawMessage) (test, error) {
		want, err := scalar(v)
		return func(have any, _ time.Time) bool { return have == nil || !same(have, want) }, err
	},
	"gt":  ordered(func(have, want float64) bool { return have > want }),
	"gte": ordered(func(have, want float64) bool { return have >= want }),
	"lt":  ordered(func(have, want float64) bool { return have < want }),
	"lte": ordered(func(have, want float64) bool { return have <= want }),
	"in": func(v json.RawMessage) (test, error) {
		var list []any
		if err := json.Unmarshal(v, &list); err != nil || len(list) == 0 || slices.ContainsFunc(list, func(e any) bool { return !isScalar(e) }) {
			return nil, errors.New("must be a list of texts, numbers or truths")
		}
		return func(have any, _ time.Time) bool { return has(list, have) }, nil
	},
	"contains": func(v json.RawMessage) (test, error) {
		want, err := scalar(v)
		return func(have any, _ time.Time) bool {
			if text, ok := have.(string); ok {
				part, ok := want.(string)
				return ok && strings.Contains(text, part)
			}
			return has(listOf(have), want)
		}, err
	},
	"starts_with": func(v json.RawMessage) (test, error) {
		want, err := text(v)
		return func(have any, _ time.Time) bool {
			s, ok := have.(string)
			return ok && strings.HasPrefix(s, want)
		}, err
	},
	"exists": func(v json.RawMessage) (test, error) {
		want := true
		if v != nil {
			if err := json.Unmarshal(v, &want); err != nil {
				return nil, errors.New("must be true or false")
			}
		}
		return func(have any, _ time.Time) bool { return (have != nil) == want }, nil
	},
	"tagged": func(v json.RawMessage) (test, error) {
		want, err := text(v)
		return func(have any, _ time.Time) bool {
			return slices.ContainsFunc(listOf(have), func(e any) bool {
				s, ok := e.(string)
				return ok && strings.EqualFold(s, want)
			})
		}, err
	},
	"before": dated(func(have, want time.Time) bool { return have.Before(want) }),
	"after":  dated(func(have, want time.Time) bool { return have.After(want) }),
	"within": func(v json.RawMessage) (test, error) {
		s, err := text(v)
		if err != nil {
			return nil, err
		}
		span, err := field.Duration(s)
		if err != nil {
			return nil, err
		}
		return func(have any, now time.Time) bool {
			at, ok := timeOf(have)
			return ok && !at.After(now) && now.Sub(at) <= span
		}, nil
	},
}

func operatorNames() string { return strings.Join(slices.Sorted(maps.Keys(operators)), ", ") }

// ordered compares numbers.
func ordered(compare func(have, want float64) bool) func(json.RawMessage) (test, error) {
	return func(v json.RawMessage) (test, error) {
		var want float64
		if err := json.Unmarshal(v, &want); err != nil || string(v) == "null" {
			return nil, errors.New("must be a number")
		}
		return func(have any, _ time.Time) bool {
			n, ok := numberOf(have)
			return ok && compare(n, want)
		}, nil
	}
}

// dated compares times.
func dated(compare func(have, want time.Time) bool) func(json.RawMessage) (test, error) {
	return func(v json.RawMessage) (test, error) {
		s, err := text(v)
		if err != nil {
			return nil, err
		}
		want, ok := timeOf(s)
		if !ok {
			return nil, errors.New("must be a time such as 2026-01-31T09:00:00Z or a date")
		}
		return func(have any, _ time.Time) bool {
			at, ok := timeOf(have)
			return ok && compare(at, want)
		}, nil
	}
}

func text(v json.RawMessage) (s string, err error) {
	if err := json.Unmarshal(v, &s); err != nil || s == "" {
		return "", errors.New("must be a text")
	}
	return s, nil
}

func scalar(v json.RawMessage) (any, error) {
	var out any
	if err := json.Unmarshal(v, &out); err != nil || !isScalar(out) {
		return nil, errors.New("must be a text, a number, true or false")
	}
	return out, nil
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, float64:
		return true
	}
	return false
}

// same compares without converting: the text 5 is not the number 5.
func same(have, want any) bool {
	if n, ok := numberOf(have); ok {
		m, ok := numberOf(want)
		return ok && n == m
	}
	switch have := have.(type) {
	case string:
		s, ok := want.(string)
		return ok && have == s
	case bool:
		b, ok := want.(bool)
		return ok && have == b
	}
	return false
}

func has(list []any, v any) bool {
	return slices.ContainsFunc(list, func(e any) bool { return same(e, v) })
}

// listOf is a list of facts, nil for what is not one.
func listOf(v any) []any {
	switch list := v.(type) {
	case []any:
		return list
	case []string:
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = s
		}
		return out
	}
	return nil
}

func numberOf(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, !math.IsNaN(n)
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	}
	return 0, false
}

// timeOf reads a time of RFC 3339, or a date, which is its first moment in UTC.
func timeOf(v any) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case string:
		for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
			if at, err := time.Parse(form, v); err == nil {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

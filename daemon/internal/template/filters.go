package template

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/osteele/liquid/expressions"
	"github.com/osteele/liquid/values"
)

// filter makes a value of another. The arguments are as many as were given.
type filter func(r *run, in any, args []any) (any, error)

// table is the filters: those of Liquid that tasks are in need of, each bounded
// in what it makes.
func table() map[string]filter {
	return map[string]filter{
		"default": func(r *run, in any, args []any) (any, error) {
			if in == nil || in == "" || in == false {
				r.absent = r.absent[:0]
				return argument(args, 0), nil
			}
			return in, nil
		},
		"append":     words(func(in string, a []string) string { return in + firstOf(a) }),
		"prepend":    words(func(in string, a []string) string { return firstOf(a) + in }),
		"capitalize": words(func(in string, _ []string) string { return capital(in) }),
		"downcase":   words(func(in string, _ []string) string { return strings.ToLower(in) }),
		"upcase":     words(func(in string, _ []string) string { return strings.ToUpper(in) }),
		"strip":      words(func(in string, _ []string) string { return strings.TrimSpace(in) }),
		"url_encode": words(func(in string, _ []string) string { return url.QueryEscape(in) }),
		"remove":     words(func(in string, a []string) string { return strings.ReplaceAll(in, firstOf(a), "") }),
		"strip_newlines": words(func(in string, _ []string) string {
			return strings.NewReplacer("\r", "", "\n", "").Replace(in)
		}),
		"truncate":   words(func(in string, a []string) string { return truncate(in, firstOf(a)) }),
		"replace":    replace,
		"json":       func(_ *run, in any, _ []any) (any, error) { return encode(in) },
		"size":       size,
		"first":      func(_ *run, in any, _ []any) (any, error) { return end(in, func(int) int { return 0 }) },
		"last":       func(_ *run, in any, _ []any) (any, error) { return end(in, func(n int) int { return n - 1 }) },
		"join":       join,
		"split":      split,
		"map":        pluck,
		"date":       date,
		"plus":       arithmetic(func(a, b float64) float64 { return a + b }),
		"minus":      arithmetic(func(a, b float64) float64 { return a - b }),
		"times":      arithmetic(func(a, b float64) float64 { return a * b }),
		"divided_by": arithmetic(func(a, b float64) float64 { return a / b }),
		"round":      arithmetic(func(a, b float64) float64 { p := math.Pow(10, b); return math.Round(a*p) / p }),
	}
}

func filterNames() []string { return slices.Sorted(maps.Keys(table())) }

// filters binds the table to a run, which pays for what they look at and make.
func (r *run) filters() expressions.Config {
	config := expressions.NewConfig()
	for name, f := range table() {
		config.AddFilter(name, func(in any, args ...any) (any, error) {
			if err := r.spend(2 + weight(in)/64 + weight(args)/64); err != nil {
				return nil, err
			}
			out, err := f(r, in, args)
			if err == nil && weight(out) > maxValue {
				err = ErrLimit
			}
			return out, err
		})
	}
	return config
}

// weight is about how many bytes a value has.
func weight(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		n := 0
		for _, item := range v {
			n += 4 + weight(item)
		}
		return n
	case map[string]any:
		n := 0
		for name, item := range v {
			n += 4 + len(name) + weight(item)
		}
		return n
	}
	return 8
}

func argument(args []any, i int) any {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func firstOf(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// words makes a filter of a function of texts.
func words(f func(in string, args []string) string) filter {
	return func(_ *run, in any, args []any) (any, error) {
		texts := make([]string, len(args))
		for i, a := range args {
			s, err := plain(a)
			if err != nil {
				return nil, err
			}
			texts[i] = s
		}
		s, err := plain(in)
		return f(s, texts), err
	}
}

func plain(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	s, err := show(v)
	return s.text, err
}

func capital(s string) string {
	for i, c := range s {
		if i > 0 {
			return strings.ToUpper(s[:i]) + s[i:]
		}
		_ = c
	}
	return strings.ToUpper(s)
}

func truncate(s, most string) string {
	n, err := strconv.Atoi(most)
	runes := []rune(s)
	if err != nil || n < 0 || len(runes) <= n {
		return s
	}
	return string(runes[:max(0, n-1)]) + "…"
}

// replace reckons with the result before it makes it.
func replace(_ *run, in any, args []any) (any, error) {
	s, err := plain(in)
	if err != nil {
		return nil, err
	}
	old, err := plain(argument(args, 0))
	if err != nil {
		return nil, err
	}
	with, err := plain(argument(args, 1))
	if err != nil || old == "" {
		return s, err
	}
	if len(s)+strings.Count(s, old)*(len(with)-len(old)) > maxValue {
		return nil, ErrLimit
	}
	return strings.ReplaceAll(s, old, with), nil
}

func size(_ *run, in any, _ []any) (any, error) {
	switch v := in.(type) {
	case string:
		return len([]rune(v)), nil
	case map[string]any:
		return len(v), nil
	}
	items, err := list(in)
	return len(items), err
}

func end(in any, which func(n int) int) (any, error) {
	items, err := list(in)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	return items[which(len(items))], nil
}

func join(_ *run, in any, args []any) (any, error) {
	items, err := list(in)
	if err != nil {
		return nil, err
	}
	glue := " "
	if len(args) > 0 {
		if glue, err = plain(args[0]); err != nil {
			return nil, err
		}
	}
	if len(items)*len(glue) > maxValue {
		return nil, ErrLimit
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = plain(item); err != nil {
			return nil, err
		}
	}
	return strings.Join(texts, glue), nil
}

func split(_ *run, in any, args []any) (any, error) {
	s, err := plain(in)
	if err != nil {
		return nil, err
	}
	by, err := plain(argument(args, 0))
	if err != nil {
		return nil, err
	}
	parts := strings.SplitN(s, by, maxItems)
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

// pluck is map: a member of each item.
func pluck(_ *run, in any, args []any) (any, error) {
	items, err := list(in)
	if err != nil {
		return nil, err
	}
	name, err := plain(argument(args, 0))
	out := make([]any, len(items))
	for i, item := range items {
		if m, ok := item.(map[string]any); ok {
			out[i] = m[name]
		}
	}
	return out, err
}

// date formats an RFC 3339 time by the names of strftime.
func date(_ *run, in any, args []any) (any, error) {
	s, err := plain(in)
	if err != nil {
		return nil, err
	}
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, fmt.Errorf("%.40q is not an RFC 3339 time", s)
	}
	format, err := plain(argument(args, 0))
	return strings.NewReplacer(
		"%Y", when.Format("2006"), "%m", when.Format("01"), "%d", when.Format("02"), "%H", when.Format("15"),
		"%M", when.Format("04"), "%S", when.Format("05"), "%B", when.Format("January"), "%b", when.Format("Jan"),
		"%A", when.Format("Monday"), "%a", when.Format("Mon"), "%e", when.Format("_2"), "%y", when.Format("06"),
	).Replace(cmp.Or(format, "%Y-%m-%d")), err
}

func arithmetic(f func(a, b float64) float64) filter {
	return func(_ *run, in any, args []any) (any, error) {
		a, ok := number(in)
		b, ok2 := number(argument(args, 0))
		if !ok || len(args) > 0 && !ok2 {
			return nil, errors.New("this filter is for numbers")
		}
		out := f(a, b)
		if math.IsNaN(out) || math.IsInf(out, 0) {
			return nil, errors.New("the result is not a number")
		}
		return out, nil
	}
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// list is a value as items: nothing has none, an object has pairs in the order
// of their names.
func list(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		if len(v) > maxItems {
			return nil, ErrLimit
		}
		return v, nil
	case map[string]any:
		if len(v) > maxItems {
			return nil, ErrLimit
		}
		out := make([]any, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, []any{name, v[name]})
		}
		return out, nil
	case values.Range:
		switch n := v.Len(); {
		case n <= 0:
			return nil, nil
		case n > maxItems:
			return nil, ErrLimit
		}
		return v.AsArray(), nil
	}
	return nil, errors.New("this is not a list")
}

package output

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Arrange narrows and orders records by members of their JSON.
type Arrange struct {
	Filter []string // name=value, or name~text for "contains"; all must hold
	Sort   string   // a member's name; with a leading - the largest first
	Limit  int      // 0 for all
}

// Apply filters, cuts to the limit and sorts what is left.
func Apply[T any](a Arrange, records iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	kept := limited(a.Limit, filtered(a.Filter, records))
	if a.Sort == "" {
		return kept
	}
	return func(yield func(*T, error) bool) {
		all, err := gather(kept)
		if err == nil {
			err = order(all, a.Sort)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, record := range all {
			if !yield(record, nil) {
				return
			}
		}
	}
}

func filtered[T any](filters []string, records iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	if len(filters) == 0 {
		return records
	}
	return func(yield func(*T, error) bool) {
		for record, err := range records {
			if err == nil {
				var ok bool
				if ok, err = matches(record, filters); err == nil && !ok {
					continue
				}
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

func limited[T any](limit int, records iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	if limit == 0 {
		return records
	}
	return func(yield func(*T, error) bool) {
		left := limit
		for record, err := range records {
			if !yield(record, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

func matches(record any, filters []string) (bool, error) {
	members, err := membersOf(record)
	if err != nil {
		return false, err
	}
	for _, filter := range filters {
		i := strings.IndexAny(filter, "=~")
		if i < 1 {
			return false, fmt.Errorf("%w: --filter takes name=value or name~text, not %q", ErrUsage, filter)
		}
		name, want := filter[:i], filter[i+1:]
		value, ok := members[name]
		if err := checkField(name, fields(reflect.TypeOf(record))); !ok && err != nil {
			return false, err
		}
		text := strings.ToLower(plainText(value))
		want = strings.ToLower(want)
		if filter[i] == '=' && text != want || filter[i] == '~' && !strings.Contains(text, want) {
			return false, nil
		}
	}
	return true, nil
}

func order[T any](records []*T, by string) error {
	name := strings.TrimPrefix(by, "-")
	keys := make(map[*T]any, len(records))
	for _, record := range records {
		members, err := membersOf(record)
		if err != nil {
			return err
		}
		value, ok := members[name]
		if err := checkField(name, fields(reflect.TypeOf(record))); !ok && err != nil {
			return err
		}
		keys[record] = value
	}
	slices.SortStableFunc(records, func(a, b *T) int {
		c := compare(keys[a], keys[b])
		if by != name {
			return -c
		}
		return c
	})
	return nil
}

func compare(a, b any) int {
	x, xok := a.(float64)
	y, yok := b.(float64)
	if xok && yok {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(strings.ToLower(plainText(a)), strings.ToLower(plainText(b)))
}

func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := Encode(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func membersOf(record any) (map[string]any, error) {
	raw, err := Encode(record)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return members, nil
}

package crud

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

// Columns makes columns of members, named as in JSON. A ~ after the name lets a
// column give way where the terminal is narrow, a + before it shows it where
// there is room only; head=member gives it another heading. It panics for a
// member that T has not got, which the first test meets.
func Columns[T any](spec string) []output.Column[T] {
	var columns []output.Column[T]
	for word := range strings.FieldsSeq(spec) {
		rest, wide := strings.CutPrefix(word, "+")
		rest, flex := strings.CutSuffix(rest, "~")
		head, member, named := strings.Cut(rest, "=")
		if !named {
			member = head
			head = contract.Words(head)
		}
		c := column[T](member)
		c.Name, c.Wide, c.Flex = strings.ReplaceAll(head, "_", " "), wide, flex
		columns = append(columns, c)
	}
	return columns
}

func column[T any](member string) output.Column[T] {
	t := reflect.TypeFor[T]()
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != member {
			continue
		}
		get := func(record *T) any { return reflect.ValueOf(record).Elem().FieldByIndex(f.Index).Interface() }
		if f.Type == reflect.TypeFor[api.Time]() {
			return kit.When("", func(record *T) api.Time { return get(record).(api.Time) })
		}
		return output.Column[T]{Value: func(record *T) string { return cell(get(record)) }}
	}
	panic(fmt.Sprintf("%s has no member %s", t, member))
}

// cell writes a value for a table.
func cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int:
		return strconv.Itoa(v)
	case []string:
		return strings.Join(v, " ")
	}
	if kind := reflect.ValueOf(v).Kind(); kind == reflect.Map || kind == reflect.Slice {
		if text, err := output.Encode(v); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v)
}

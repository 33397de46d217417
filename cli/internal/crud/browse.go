package crud

import (
	"context"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

// Screen says what a screen shows of a noun beside its list.
type Screen[T any] struct {
	Title   string                                // unless it is the noun in the plural
	Changed string                                // as in browse.Noun
	Members bool                                  // as in browse.Noun
	Label   func(*T) string                       // what people call an object; its id unless it is set
	Text    func(*T) (markdown string, err error) // in full; YAML of the object unless it is set
	// Get reads an object in full, where the list leaves something out.
	Get   func(ctx context.Context, id string) (*T, error)
	Edit  func(ctx context.Context, t browse.Terminal, row *browse.Row) (string, error)
	Verbs []browse.Verb
}

// Browse is a noun for a screen, with the verb that ends an object.
func (n *Noun[T, C, P, Q]) Browse(a *kit.App, s Screen[T]) browse.Noun {
	if s.Label == nil {
		s.Label = n.label
	}
	end := n.ending()
	s.Verbs = append(s.Verbs, browse.Verb{Key: "D", Name: end.Verb, Doc: end.Short, Typed: true, Do: func(ctx context.Context, row *browse.Row) (string, error) {
		service, err := n.Connect(a)
		if err != nil {
			return "", err
		}
		return end.Done + " " + row.Label, service.Delete(ctx, api.Ref{ID: row.ID})
	}})
	l := Lister[T, Q]{Path: n.path(), Plural: Plural(n.Kind), View: n.View(), Connect: func(a *kit.App) (Pages[T, Q], error) {
		service, err := n.Connect(a)
		if err != nil {
			return nil, err
		}
		return service.List, nil
	}}
	return l.Browse(a, s)
}

// Browse is a list for a screen.
func (l *Lister[T, Q]) Browse(a *kit.App, s Screen[T]) browse.Noun {
	view := l.view()
	if s.Label == nil {
		s.Label = view.ID
	}
	path := strings.Fields(l.Path)
	noun := browse.Noun{
		Name: path[len(path)-1], Title: title(s.Title, l.Plural), Changed: s.Changed, Members: s.Members, Edit: s.Edit, Verbs: s.Verbs,
		Of:      strings.ToLower(l.Argument),
		Command: func(row *browse.Row) string { return "svcctl " + l.Path + " get " + row.ID },
		List:    l.page(a, s, view),
	}
	for _, c := range listed(view) {
		noun.Columns = append(noun.Columns, browse.Column{Name: c.Name, Flex: c.Flex})
	}
	if s.Get != nil {
		noun.Get = func(ctx context.Context, row *browse.Row) (*browse.Detail, error) {
			record, err := s.Get(ctx, row.ID)
			if err != nil {
				return nil, err
			}
			return detail(view, s, record), nil
		}
	}
	return noun
}

// title is the title of a screen: what is listed, without the order.
func title(own, plural string) string {
	if own == "" {
		own, _, _ = strings.Cut(plural, ",")
	}
	first, n := utf8.DecodeRuneInString(own)
	return string(unicode.ToUpper(first)) + own[n:]
}

// listed are the columns of a list: those of a table but the id, which takes much
// room and says little.
func listed[T any](view output.View[T]) []output.Column[T] {
	var columns []output.Column[T]
	for _, c := range view.Columns {
		if !c.Wide && c.Name != "id" {
			columns = append(columns, c)
		}
	}
	return columns
}

// page reads pages of the list as a screen shows them.
func (l *Lister[T, Q]) page(a *kit.App, s Screen[T], view output.View[T]) func(ctx context.Context, of, cursor string) (*browse.Page, error) {
	return func(ctx context.Context, of, cursor string) (*browse.Page, error) {
		members := map[string]any{"limit": biggestPage}
		for member, text := range l.Defaults {
			members[member] = text
		}
		if cursor != "" {
			members["cursor"] = cursor
		}
		if s.Text != nil && s.Get == nil && contract.Has(reflect.TypeFor[Q](), "include") {
			members["include"], members["limit"] = "content", biggestWithContent
		}
		if l.Of != "" {
			id, err := l.ofID(ctx, a, of)
			if err != nil {
				return nil, err
			}
			members[l.Of] = id
		}
		list, err := l.Connect(a)
		if err != nil {
			return nil, err
		}
		q, err := decodeQuery[Q](members)
		if err != nil {
			return nil, err
		}
		records, err := list(ctx, q)
		if err != nil {
			return nil, err
		}
		page := &browse.Page{}
		if records.HasMore {
			page.Next = records.NextCursor
		}
		for i := range records.Data {
			page.Rows = append(page.Rows, row(view, s, &records.Data[i], of))
		}
		return page, nil
	}
}

func row[T any](view output.View[T], s Screen[T], record *T, of string) browse.Row {
	r := browse.Row{ID: view.ID(record), Of: of, Label: s.Label(record), Detail: func() *browse.Detail { return detail(view, s, record) }}
	for _, c := range listed(view) {
		r.Cells = append(r.Cells, c.Value(record))
		r.Keys = append(r.Keys, c.Key(record))
	}
	return r
}

// detail is an object in full: every column as a fact, and its text.
func detail[T any](view output.View[T], s Screen[T], record *T) *browse.Detail {
	d := &browse.Detail{}
	for _, c := range view.Columns {
		if value := c.Value(record); value != "" {
			d.Facts = append(d.Facts, [2]string{c.Name, value})
		}
	}
	if s.Text == nil {
		d.Text = asYAML(record)
		return d
	}
	text, err := s.Text(record)
	if err != nil {
		text = "The text cannot be shown: " + err.Error()
	}
	d.Text = text
	return d
}

// asYAML is an object as a block of code.
func asYAML(record any) string {
	raw, err := output.Encode(record)
	if err == nil {
		raw, err = yaml.JSONToYAML(raw)
	}
	if err != nil {
		return ""
	}
	return "```\n" + string(raw) + "```\n"
}

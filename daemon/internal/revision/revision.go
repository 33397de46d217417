// Package revision keeps the earlier texts of objects, the last fifty of each.
// It knows no object: who keeps them names the table and counts them in its own
// record.
package revision

import (
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const keep = 50

// Text is one earlier text; its content is the record's body. The record's id
// is the object's and the version that the text had.
type Text struct {
	Of          string   `json:"p"`
	Number      int      `json:"n"`
	Title       string   `json:"t"`
	Description string   `json:"d,omitempty"`
	Tags        []string `json:"g,omitempty"`
	Editor      string   `json:"e"`
	At          api.Time `json:"at"`
}

const byObject = "post"

// Table is the texts of one kind of object. It is a description, as kv.Table is.
type Table struct{ *kv.Table[Text] }

// NewTable describes the table of that name, which never changes.
func NewTable(name string) Table {
	return Table{kv.NewTable(name, kv.Index[Text]{
		Name: byObject,
		Keys: func(r *Text, add func([]byte)) { add(kv.Key(r.Of)) },
	})}
}

func id(of string, number int) string { return fmt.Sprintf("%s.%010d", of, number) }

// Keep stores a text and drops the oldest when there are too many of its object.
// count is how many there are.
func (t Table) Keep(tx kv.Tx, team string, r Text, content string, count *int) error {
	if *count >= keep {
		oldest, err := t.List(tx, team, kv.Page[Text]{
			Index: byObject, Prefixes: [][]byte{kv.Key(r.Of)}, Ascending: true, Limit: *count - keep + 1,
			Skip: op.Unreadable,
		})
		if err != nil {
			return err
		}
		for _, id := range oldest.IDs {
			if err := t.Delete(tx, team, id); err != nil {
				return err
			}
			*count--
		}
	}
	*count++
	id := id(r.Of, r.Number)
	if err := t.Insert(tx, team, id, &r); err != nil {
		return err
	}
	return t.PutBody(tx, team, id, []byte(content))
}

// Drop deletes every text of an object.
func (t Table) Drop(tx kv.Tx, team, of string) error {
	all, err := t.List(tx, team, kv.Page[Text]{Index: byObject, Prefixes: [][]byte{kv.Key(of)}, Limit: 2 * keep, Skip: op.Unreadable})
	if err != nil {
		return err
	}
	for _, id := range all.IDs {
		if err := t.Delete(tx, team, id); err != nil {
			return err
		}
	}
	return nil
}

// Read returns one text with its content, as it was sent.
func (t Table) Read(tx kv.Tx, team, of string, number int) (*Text, string, error) {
	id := id(of, number)
	r, err := t.Get(tx, team, id)
	if err != nil {
		return nil, "", err
	}
	body, err := t.Body(tx, team, id)
	return r, string(body), err
}

// Page lists the texts of an object, newest first. include is empty, "source"
// for the content as it was sent, or "content" for content that is safe to show.
func Page[Out any](tx kv.Tx, t Table, team, of, include string, q api.PageQuery, show func(r *Text, content string) Out) (api.Page[Out], error) {
	p := kv.Page[Text]{Index: byObject, Prefixes: [][]byte{kv.Key(of)}}
	return op.List(tx, t.Table, team, of, q, p, func(id string, r *Text) (Out, error) {
		if include == "" {
			return show(r, ""), nil
		}
		body, err := t.Body(tx, team, id)
		content := string(body)
		if include != "source" && safehtml.Active(content) {
			content = safehtml.Sanitize(content)
		}
		return show(r, content), err
	})
}

package posts

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// record is a stored post. Posts are kept as the JSON that the API answers with,
// so that reading one is copying it: what has no content here, and the content,
// quoted, as the record's body.
type record struct {
	JSON      []byte `cbor:"1,keyasint"`
	Version   int    `cbor:"2,keyasint"`
	Revisions int    `cbor:"3,keyasint,omitempty"` // how many there are
	Editor    string `cbor:"4,keyasint,omitempty"` // who wrote the present text
	// Active says that the content could run something in a browser, so that
	// readers get it sanitised unless they ask for the source.
	Active bool `cbor:"5,keyasint,omitempty"`
	// Turn is the number of the last change that the search has to see.
	Turn uint64 `cbor:"6,keyasint,omitempty"`

	decoded *api.Post // of JSON, once it was needed
	damaged error     // why JSON does not decode
}

// typicalJSON is what most posts need without their content.
const typicalJSON = 1024

// kept is what is stored beside the text.
func (r *record) kept() text.Kept {
	return text.Kept{Revisions: r.Revisions, Editor: r.Editor, Active: r.Active}
}

// newRecord returns the record of p. Changes of p do not reach it.
func newRecord(p api.Post, k text.Kept) (*record, error) {
	p.Content = ""
	b, err := op.Encode(make([]byte, 0, typicalJSON), &p)
	return &record{JSON: b, Version: p.Version, Revisions: k.Revisions, Editor: k.Editor, Active: k.Active, decoded: &p}, err
}

// with is r with p in place of its post, whose content is the same.
func (r *record) with(p api.Post) (*record, error) {
	next, err := newRecord(p, r.kept())
	if err == nil {
		next.Turn = r.Turn
	}
	return next, err
}

// post is the record decoded, without content; of a damaged one it is empty.
// Callers do not change it.
func (r *record) post() *api.Post {
	if r.decoded == nil {
		r.decoded = new(api.Post)
		if err := op.Decode(r.JSON, r.decoded); err != nil {
			r.decoded, r.damaged = new(api.Post), fmt.Errorf("the post does not decode: %w", err)
		}
	}
	return r.decoded
}

// Damaged implements kv.Lazy.
func (r *record) Damaged() error {
	r.post()
	return r.damaged
}

// stored reads a post without its content, and makes sure that it decodes.
func stored(tx kv.Tx, team, id string) (*record, error) {
	r, err := table.Get(tx, team, id)
	if err == nil {
		err = table.Whole(id, r)
	}
	return r, err
}

// The indexes. The slug is first: an insert that meets a taken slug has written
// nothing yet, and the next slug can be tried in the same transaction.
var table = kv.NewTable("post",
	kv.Index[record]{Name: "slug", Unique: true, Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.post().Slug))
	}},
	kv.Index[record]{Name: "status", Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.post().Status))
	}},
	kv.Index[record]{Name: "tag", Keys: func(r *record, add func([]byte)) {
		for _, tag := range r.post().Tags {
			add(kv.Key(field.FoldTag(tag)))
		}
	}},
	kv.Index[record]{Name: "model", Keys: func(r *record, add func([]byte)) {
		if model := r.post().Model; model != "" {
			add(kv.Key(model))
		}
	}},
	// What the public may see, all of it under "" and again under each tag.
	kv.Index[record]{Name: "pub", Keys: func(r *record, add func([]byte)) {
		if r.post().PublishedAt == 0 {
			return
		}
		at := kv.Uint64(uint64(r.post().PublishedAt))
		add(kv.Key("", at))
		for _, tag := range r.post().Tags {
			add(kv.Key(field.FoldTag(tag), at))
		}
	}},
	search.TurnIndex(func(r *record) uint64 { return r.Turn }),
)

// load reads a post with its content.
func load(tx kv.Tx, team, id string) (*record, api.Post, error) {
	r, err := stored(tx, team, id)
	if err != nil {
		return nil, api.Post{}, err
	}
	p, err := withContent(tx, team, r)
	return r, p, err
}

func withContent(tx kv.Tx, team string, r *record) (api.Post, error) {
	p := *r.post()
	quoted, err := table.Body(tx, team, p.ID)
	if err != nil || len(quoted) == 0 {
		return p, err
	}
	content, err := jsontext.AppendUnquote(nil, quoted)
	p.Content = string(content)
	return p, err
}

// quote is content as JSON, nothing for none.
func quote(content string) ([]byte, error) {
	if content == "" {
		return nil, nil
	}
	return jsontext.AppendQuote(make([]byte, 0, len(content)+len(content)/16+64), content)
}

func putContent(tx kv.Tx, team string, p *api.Post) error {
	quoted, err := quote(p.Content)
	if err != nil {
		return err
	}
	return table.PutBody(tx, team, p.ID, quoted)
}

// join appends the JSON of a post with its content.
func (r *record) join(dst, quoted []byte) []byte {
	if len(quoted) == 0 {
		return append(dst, r.JSON...)
	}
	dst = append(dst, r.JSON[:len(r.JSON)-1]...)
	dst = append(dst, `,"content":`...)
	dst = append(dst, quoted...)
	return append(dst, '}')
}

// plain is the JSON of a post without its content. It is copied as it is stored:
// only svcd check and changes decode it. Refused is what could not be the JSON of
// a post whatever it says, so that no answer is cut off in the middle.
func (r *record) plain(id string) ([]byte, error) {
	if n := len(r.JSON); n < 2 || r.JSON[0] != '{' || r.JSON[n-1] != '}' {
		return nil, &kv.CorruptError{Key: kv.Key(table.Name(), "r", id), Reason: "the post is not a JSON object"}
	}
	return r.JSON, nil
}

// whole is the JSON of a post with its content: as it was sent when it is inert
// or source is asked for, sanitised otherwise.
func (r *record) whole(tx kv.Tx, team, id string, source bool) ([]byte, error) {
	if _, err := r.plain(id); err != nil {
		return nil, err
	}
	quoted, err := table.Body(tx, team, id)
	if err == nil && r.Active && !source {
		quoted, err = sanitized(quoted)
	}
	if err != nil {
		return nil, err
	}
	return r.join(make([]byte, 0, len(r.JSON)+len(quoted)+16), quoted), nil
}

func sanitized(quoted []byte) ([]byte, error) {
	content, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return nil, err
	}
	return quote(safehtml.Sanitize(string(content)))
}

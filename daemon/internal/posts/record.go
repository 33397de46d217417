package posts

import (
	"strings"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// record is a stored post without its content, which is the record's body.
type record struct {
	stored
	Revisions int    `cbor:"30,keyasint,omitempty"` // how many there are
	Editor    string `cbor:"31,keyasint,omitempty"` // who wrote the present text
}

// stored is api.Post under short names; the two convert into each other.
type stored struct {
	ID             string            `cbor:"-"`
	Title          string            `cbor:"1,keyasint"`
	Slug           string            `cbor:"2,keyasint"`
	Content        string            `cbor:"-"`
	Description    string            `cbor:"3,keyasint,omitempty"`
	Status         string            `cbor:"4,keyasint"`
	Tags           []string          `cbor:"5,keyasint,omitempty"`
	Model          string            `cbor:"6,keyasint,omitempty"`
	FeaturedImage  *api.Image        `cbor:"7,keyasint,omitempty"`
	Author         *api.Author       `cbor:"8,keyasint,omitempty"`
	Excerpt        string            `cbor:"9,keyasint,omitempty"`
	WordCount      int               `cbor:"10,keyasint,omitempty"`
	ReadingMinutes int               `cbor:"11,keyasint,omitempty"`
	Locale         string            `cbor:"12,keyasint,omitempty"`
	CanonicalURL   string            `cbor:"13,keyasint,omitempty"`
	PublishAt      api.Time          `cbor:"14,keyasint,omitempty"`
	PublishedAt    api.Time          `cbor:"15,keyasint,omitempty"`
	ArchivedAt     api.Time          `cbor:"16,keyasint,omitempty"`
	Generation     *api.Generation   `cbor:"17,keyasint,omitempty"`
	Provenance     api.Provenance    `cbor:"18,keyasint"`
	Metadata       map[string]string `cbor:"19,keyasint,omitempty"`
	Version        int               `cbor:"20,keyasint"`
	CreatedAt      api.Time          `cbor:"21,keyasint"`
	UpdatedAt      api.Time          `cbor:"22,keyasint"`
}

// The indexes. The slug is first: an insert that meets a taken slug has written
// nothing yet, and the next slug can be tried in the same transaction.
var table = kv.NewTable("post",
	kv.Index[record]{Name: "slug", Unique: true, Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.Slug))
	}},
	kv.Index[record]{Name: "status", Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.Status))
	}},
	kv.Index[record]{Name: "tag", Keys: func(r *record, add func([]byte)) {
		for _, tag := range r.Tags {
			add(kv.Key(foldTag(tag)))
		}
	}},
	kv.Index[record]{Name: "model", Keys: func(r *record, add func([]byte)) {
		if r.Model != "" {
			add(kv.Key(r.Model))
		}
	}},
	// What the public may see, all of it under "" and again under each tag.
	kv.Index[record]{Name: "pub", Keys: func(r *record, add func([]byte)) {
		if r.PublishedAt == 0 {
			return
		}
		at := kv.Uint64(uint64(r.PublishedAt))
		add(kv.Key("", at))
		for _, tag := range r.Tags {
			add(kv.Key(foldTag(tag), at))
		}
	}},
)

// foldTag is what tags are compared by: their case does not matter.
func foldTag(tag string) string { return strings.ToLower(tag) }

// post is the record as the contract shows it, without content.
func (r *record) post(id string) api.Post {
	p := api.Post(r.stored)
	p.ID = id
	if p.Tags == nil {
		p.Tags = []string{}
	}
	return p
}

// load reads a post with its content.
func load(tx kv.Tx, team, id string) (*record, api.Post, error) {
	r, err := table.Get(tx, team, id)
	if err != nil {
		return nil, api.Post{}, err
	}
	p, err := withContent(tx, team, r.post(id))
	return r, p, err
}

func withContent(tx kv.Tx, team string, p api.Post) (api.Post, error) {
	body, err := table.Body(tx, team, p.ID)
	p.Content = string(body)
	return p, err
}

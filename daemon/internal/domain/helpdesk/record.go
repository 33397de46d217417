package helpdesk

import (
	"errors"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// record is a stored article. Its content is the record's body.
type record struct {
	Article   api.Article `json:"a"`
	Revisions int         `json:"n,omitempty"` // how many there are
	Editor    string      `json:"e,omitempty"` // who wrote the present text
	// Active says that the content could run something in a browser, so that
	// readers get it sanitised unless they ask for the source.
	Active bool `json:"x,omitempty"`
	// Excerpted says that the excerpt was written, not derived.
	Excerpted bool `json:"w,omitempty"`
	// Turn is the number of the last change that the search has to see.
	Turn uint64 `json:"u,omitempty"`
}

// The indexes. The slug is first: an insert that meets a taken slug has written
// nothing yet, and the next slug can be tried in the same transaction.
var table = kv.NewTable("article",
	kv.Index[record]{Name: "slug", Unique: true, Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.Article.Slug))
	}},
	kv.Index[record]{Name: "status", Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.Article.Status))
	}},
	kv.Index[record]{Name: "cat", Keys: func(r *record, add func([]byte)) {
		if r.Article.CategoryID != "" {
			add(kv.Key(r.Article.CategoryID))
		}
	}},
	kv.Index[record]{Name: "tag", Keys: func(r *record, add func([]byte)) {
		for _, tag := range r.Article.Tags {
			add(kv.Key(field.FoldTag(tag)))
		}
	}},
	search.TurnIndex(func(r *record) uint64 { return r.Turn }),
)

// kept is what is stored beside the text.
func (r *record) kept() text.Kept {
	return text.Kept{Revisions: r.Revisions, Editor: r.Editor, Active: r.Active}
}

// show is the article as lists and events have it, without its content.
func (r *record) show() api.Article {
	a := r.Article
	a.Content = ""
	if a.Tags == nil {
		a.Tags = []string{}
	}
	return a
}

// with is the article with its content, as it was sent when source is asked for.
func (r *record) with(content string, source bool) api.Article {
	a := r.show()
	a.Content = r.kept().Shown(content, source)
	return a
}

// whole is with, of the stored content.
func (r *record) whole(tx kv.Tx, team string, source bool) (api.Article, error) {
	body, err := table.Body(tx, team, r.Article.ID)
	return r.with(string(body), source), err
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}

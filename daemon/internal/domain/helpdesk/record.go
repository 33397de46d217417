package helpdesk

import (
	"errors"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/slug"
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
)

var revisions = revision.NewTable("article revision")

var articleSlugs = slug.Names{
	Noun: "article", Counter: "articleSlug",
	Reserved: []string{"by-slug", "category", "search", "feedback", "new", "edit"},
}

// show is the article as answers and events have it.
func (r *record) show() api.Article {
	a := r.Article
	if a.Tags == nil {
		a.Tags = []string{}
	}
	return a
}

// whole is the article with its content: as it was sent when it is inert or
// source is asked for, sanitised otherwise.
func (r *record) whole(tx kv.Tx, team string, source bool) (api.Article, error) {
	a := r.show()
	body, err := table.Body(tx, team, a.ID)
	a.Content = string(body)
	if r.Active && !source {
		a.Content = safehtml.Sanitize(a.Content)
	}
	return a, err
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}

package helpdesk

import (
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

var categories = kv.NewTable("category",
	kv.Index[api.Category]{Name: "slug", Unique: true, Keys: func(c *api.Category, add func([]byte)) {
		add(kv.Key(c.Slug))
	}},
	kv.Index[api.Category]{Name: "pos", Keys: func(c *api.Category, add func([]byte)) {
		add(kv.Key(kv.Uint64(uint64(c.Position))))
	}},
)

var categorySlugs = slug.Names{Noun: "category", Counter: "categorySlug"}

func (s *Service) categoryOps() []op.Op {
	kept := resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[api.Category]{
		Table: categories, Index: "pos", Prefix: "cat", Noun: "category", Plural: "categories",
		Validate: func(_ kv.Tx, _ op.Caller, _, c *api.Category) error { return checkCategoryFields(c) },
		OnDelete: func(tx kv.Tx, who op.Caller, c *api.Category) error { return s.empty(tx, who, c.ID) },
		Slug:     &resource.Slug[api.Category]{Names: categorySlugs, Of: func(c *api.Category) (*string, string) { return &c.Slug, c.Name }},
	})
	return resource.Rows[api.Category, api.CategoryCreate, api.CategoryPatch](kept, resource.Offer[api.Category, api.CategoryQuery]{
		Name: "helpdesk.categories", Path: "/helpdesk/categories", Read: op.HelpdeskRead, Write: op.HelpdeskWrite,
		A: "a category of help articles", Docs: map[string]string{
			"list":   "Lists the categories of help articles by their position.",
			"delete": "Deletes a category; its articles are left without one.",
		},
	})
}

func checkCategoryFields(c *api.Category) error {
	var f field.Failures
	f.Title("/name", &c.Name)
	if code, message := categorySlugs.Check(c.Slug); code != "" {
		f.Add("/slug", code, "%s", message)
	}
	return f.Err()
}

// empty takes the articles out of a category.
func (s *Service) empty(tx kv.Tx, who op.Caller, category string) error {
	for {
		in, err := table.List(tx, who.Team, kv.Page[record]{Index: "cat", Prefixes: [][]byte{kv.Key(category)}, Limit: 500, Skip: op.Unreadable})
		if err != nil || len(in.IDs) == 0 {
			return err
		}
		for _, id := range in.IDs {
			_, err := s.change(tx, who, api.ArticleRef{ID: id}, func(r *record) error {
				r.Article.CategoryID = ""
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
}

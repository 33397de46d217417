package helpdesk

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
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

// CreateCategory stores a category.
func (s *Service) CreateCategory(ctx context.Context, who op.Caller, in api.CategoryCreate) (api.Category, error) {
	now := s.Now()
	c := api.Category{
		ID: kv.IDAt("cat", now), Name: in.Name, Slug: in.Slug, Position: in.Position,
		Version: 1, CreatedAt: api.TimeOf(now), UpdatedAt: api.TimeOf(now),
	}
	if err := checkCategoryFields(&c); err != nil {
		return c, err
	}
	if c.Slug == "" {
		c.Slug = categorySlugs.Of(c.Name)
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Category, error) {
		c := c
		err := categories.Insert(tx, who.Team, c.ID, &c)
		if _, taken := slug.Taken(err); taken && in.Slug == "" {
			if c.Slug, err = slug.Next(tx, categorySlugs, categories, who.Team, c.Slug); err == nil {
				err = categories.Insert(tx, who.Team, c.ID, &c)
			}
		}
		return c, slug.Refuse(tx, categorySlugs, categories, who.Team, err)
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

// ListCategories returns a page of categories by their position.
func (s *Service) ListCategories(ctx context.Context, who op.Caller, in api.CategoryQuery) (page api.Page[api.Category], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, categories, who.Team, "", api.PageQuery(in), kv.Page[api.Category]{Index: "pos"},
			func(_ string, c *api.Category) (api.Category, error) { return *c, nil })
		return err
	})
	return page, err
}

// GetCategory returns one category.
func (s *Service) GetCategory(ctx context.Context, who op.Caller, in api.CategoryRef) (out api.Category, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		c, err := categories.Get(tx, who.Team, in.ID)
		if err == nil {
			out = *c
		}
		return err
	})
	return out, err
}

// UpdateCategory changes the members that are present.
func (s *Service) UpdateCategory(ctx context.Context, who op.Caller, in api.CategoryPatch) (api.Category, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Category, error) {
		c, err := categories.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Category{}, err
		}
		if err := op.CheckVersion(in.IfMatch, c.Version); err != nil {
			return *c, err
		}
		was := *c
		in.Name.Apply(&c.Name)
		in.Slug.Apply(&c.Slug)
		in.Position.Apply(&c.Position)
		if err := checkCategoryFields(c); err != nil || *c == was {
			return *c, err
		}
		c.Version, c.UpdatedAt = c.Version+1, s.now()
		err = categories.Put(tx, who.Team, c.ID, c)
		return *c, slug.Refuse(tx, categorySlugs, categories, who.Team, err)
	})
}

// DeleteCategory removes a category and takes its articles out of it.
func (s *Service) DeleteCategory(ctx context.Context, who op.Caller, in api.CategoryRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		c, err := categories.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Deleted{}, err
		}
		if err := op.CheckVersion(in.IfMatch, c.Version); err != nil {
			return api.Deleted{}, err
		}
		if err := s.empty(tx, who, in.ID); err != nil {
			return api.Deleted{}, err
		}
		return api.Deleted{ID: in.ID, Deleted: true}, categories.Delete(tx, who.Team, in.ID)
	})
}

func (s *Service) empty(tx kv.Tx, who op.Caller, category string) error {
	for {
		in, err := table.List(tx, who.Team, kv.Page[record]{Index: "cat", Prefixes: [][]byte{kv.Key(category)}, Limit: 500})
		if err != nil || len(in.IDs) == 0 {
			return err
		}
		for _, id := range in.IDs {
			_, err := s.change(tx, who, api.ArticleRef{ID: id}, func(r *record, _ *string) error {
				r.Article.CategoryID = ""
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
}

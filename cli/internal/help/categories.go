package help

import (
	"context"
	"maps"
	"strings"
	"sync"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// categories are those of a team by their names, as files know them. One that a
// file names first is made.
type categories struct {
	service *sdk.CategoriesService

	mu    sync.Mutex        // guards what follows
	ids   map[string]string // by name in lower case, and by slug
	names map[string]string // by id
}

func (c *categories) load(ctx context.Context) error {
	if c.ids != nil {
		return nil
	}
	ids, names := map[string]string{}, map[string]string{}
	for one, err := range c.service.All(ctx, api.CategoryQuery{Limit: 100}) {
		if err != nil {
			return err
		}
		ids[strings.ToLower(one.Name)], names[one.ID] = one.ID, one.Name
		if ids[one.Slug] == "" {
			ids[one.Slug] = one.ID
		}
	}
	c.ids, c.names = ids, names
	return nil
}

// id is the category of that name.
func (c *categories) id(ctx context.Context, name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(ctx); err != nil {
		return "", err
	}
	if id := c.ids[strings.ToLower(name)]; id != "" {
		return id, nil
	}
	made, err := c.service.Create(ctx, api.CategoryCreate{Name: name})
	if err != nil {
		return "", err
	}
	c.ids[strings.ToLower(name)], c.names[made.ID] = made.ID, made.Name
	return made.ID, nil
}

// name is what the category of that id is called.
func (c *categories) name(ctx context.Context, id string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.load(ctx)
	return c.names[id], err
}

// post is an article as a post, its category among its metadata.
func (d articles) post(ctx context.Context, a *api.Article, err error) (*api.Post, error) {
	if err != nil {
		return nil, err
	}
	p := asPost(a)
	if d.categories == nil || a.CategoryID == "" {
		return p, nil
	}
	name, err := d.categories.name(ctx, a.CategoryID)
	if name != "" {
		p.Metadata = maps.Clone(p.Metadata)
		if p.Metadata == nil {
			p.Metadata = map[string]string{}
		}
		p.Metadata[postfile.CategoryKey] = name
	}
	return p, err
}

// category takes the category out of metadata.
func (d articles) category(ctx context.Context, metadata map[string]string) (id string, rest map[string]string, err error) {
	name := metadata[postfile.CategoryKey]
	if d.categories == nil || name == "" {
		return "", metadata, nil
	}
	rest = maps.Clone(metadata)
	delete(rest, postfile.CategoryKey)
	id, err = d.categories.id(ctx, name)
	return id, rest, err
}

package posts

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

var slugs = slug.Names{
	Noun: "post", Counter: "postSlug",
	Reserved: []string{"jobs", "batch", "by-slug", "tag", "tags", "feed", "feed-xml", "sitemap", "index", "new", "edit", "media", "help"},
}

var revisions = revision.NewTable("revision")

// texts is what posts have in common with other texts.
var texts = text.New(text.Kind[api.Post]{
	Noun: "post", Revisions: revisions, Addresses: text.NewAddresses("post address"), Updated: updated,
	Derived: []string{"excerpt", "wordCount", "readingMinutes"},
	Times:   []string{"publishAt", "publishedAt", "archivedAt", "held"},
	Fields:  fieldsOf,
	Status: text.Statuses("A post", func(p *api.Post) *string { return &p.Status }, seen,
		text.Told[api.Post]{Published: published, Unpublished: unpublished, Archived: archived, Restored: restored},
		map[string]text.Row{
			"publish": {Scope: op.PostsPublish, Tool: "publish_post", Hints: op.Hints{Title: "Publish post", Default: true, Idempotent: true},
				Doc: "Makes a post public."},
			"unpublish": {Scope: op.PostsPublish, Doc: "Makes a published post a draft again."},
			"archive": {Scope: op.PostsWrite, Tool: "archive_post", Hints: op.Hints{Title: "Archive post", Destructive: true, Idempotent: true},
				Doc: "Takes a post out of use; unarchive makes it a draft again."},
			"unarchive": {Scope: op.PostsWrite, Doc: "Makes an archived post a draft."},
		}),
})

func fieldsOf(p *api.Post) text.Fields {
	return text.Fields{
		ID: &p.ID, Title: &p.Title, Description: &p.Description, Slug: &p.Slug, Status: &p.Status, Content: &p.Content,
		Tags: &p.Tags, Version: &p.Version, UpdatedAt: &p.UpdatedAt, Public: p.PublishedAt != 0,
		PublishedAt: &p.PublishedAt, Date: &p.Date, Aliases: &p.Aliases,
	}
}

// seen is the status of a post to its readers: one that is held back is no more
// than a draft.
func seen(p *api.Post) string {
	if p.Status == api.PostPublished && p.PublishedAt == 0 {
		return api.PostDraft
	}
	return p.Status
}

// insert stores a new post; see slug.Insert.
func insert(tx kv.Tx, team string, r *record, derived bool) (*record, error) {
	return slug.Insert(tx, slugs, table, team, r.post().ID, r, derived, func(r *record, free string) (*record, error) {
		p := *r.post()
		p.Slug = free
		return r.with(p)
	})
}

// Revisions lists the earlier texts of a post.
func (s *Service) Revisions(ctx context.Context, who op.Caller, in api.RevisionQuery) (page api.Page[api.Revision], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		if _, err := table.Get(tx, who.Team, in.ID); err != nil {
			return err
		}
		page, err = revision.Page(tx, revisions, who.Team, in.ID, in.Include, in.PageQuery, showRevision)
		return err
	})
	return page, err
}

func showRevision(r *revision.Text, content string) api.Revision {
	out := api.Revision{
		PostID: r.Of, Number: r.Number, Title: r.Title, Description: r.Description,
		Tags: r.Tags, Content: content, ActorID: r.Editor, CreatedAt: r.At,
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	return out
}

// RestoreRevision gives the post the text of a revision.
func (s *Service) RestoreRevision(ctx context.Context, who op.Caller, in api.RevisionRef) (api.Post, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Post, error) {
		return s.change(tx, who, api.PostRef{ID: in.ID}, func(p *api.Post) error {
			if p.Status == api.PostArchived {
				return texts.ErrArchived()
			}
			r, content, err := revisions.Read(tx, who.Team, in.ID, in.N)
			if err != nil {
				return err
			}
			p.Title, p.Description, p.Tags, p.Content = r.Title, r.Description, r.Tags, content
			return nil
		})
	})
}

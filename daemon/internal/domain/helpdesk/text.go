package helpdesk

import (
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/sdk/api"
)

var articleSlugs = slug.Names{
	Noun: "article", Counter: "articleSlug",
	Reserved: []string{"by-slug", "category", "search", "feedback", "new", "edit"},
}

var revisions = revision.NewTable("article revision")

// texts is what articles have in common with other texts.
var texts = text.New(text.Kind[api.Article]{
	Noun: "article", Revisions: revisions, Addresses: text.NewAddresses("article address"), Updated: updated,
	Times:  []string{"publishedAt"},
	Fields: fieldsOf,
	Status: text.Statuses("An article", func(a *api.Article) *string { return &a.Status }, nil,
		text.Told[api.Article]{Published: published, Unpublished: unpublished, Archived: archived},
		map[string]text.Row{
			"publish": {Scope: op.HelpdeskWrite, Tool: "publish_helpdesk_article", Hints: op.Hints{Title: "Publish help article", Idempotent: true},
				Doc: "Makes a help article public."},
			"unpublish": {Scope: op.HelpdeskWrite, Doc: "Makes a published help article a draft."},
			"archive":   {Scope: op.HelpdeskWrite, Doc: "Takes a help article out of use; unarchive makes it a draft again."},
			"unarchive": {Scope: op.HelpdeskWrite, Doc: "Makes an archived help article a draft."},
		}),
})

func fieldsOf(a *api.Article) text.Fields {
	return text.Fields{
		ID: &a.ID, Title: &a.Title, Slug: &a.Slug, Status: &a.Status, Content: &a.Content,
		Tags: &a.Tags, Version: &a.Version, UpdatedAt: &a.UpdatedAt, Public: a.PublishedAt != 0,
		PublishedAt: &a.PublishedAt, Date: &a.Date, Aliases: &a.Aliases,
	}
}

package posts

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

var revisions = revision.NewTable("revision")

// keepRevision stores the text of p, written by editor. count is how many there
// are.
func keepRevision(tx kv.Tx, team string, p *api.Post, editor string, count *int) error {
	return revisions.Keep(tx, team, revision.Text{
		Of: p.ID, Number: p.Version, Title: p.Title, Description: p.Description,
		Tags: p.Tags, Editor: editor, At: p.UpdatedAt,
	}, p.Content, count)
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

// RestoreRevision gives the post the text of a revision.
func (s *Service) RestoreRevision(ctx context.Context, who op.Caller, in api.RevisionRef) (api.Post, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Post, error) {
		return s.change(tx, who, api.PostRef{ID: in.ID}, func(p *api.Post) error {
			if p.Status == api.PostArchived {
				return errArchived()
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

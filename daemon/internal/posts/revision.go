package posts

import (
	"context"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const maxRevisions = 50

// revision is an earlier text of a post; its content is the record's body. The
// id is the post's and the version that the text had.
type revision struct {
	Post        string   `json:"p"`
	Number      int      `json:"n"`
	Title       string   `json:"t"`
	Description string   `json:"d,omitempty"`
	Tags        []string `json:"g,omitempty"`
	Editor      string   `json:"e"`
	At          api.Time `json:"at"`
}

var revisions = kv.NewTable("revision", kv.Index[revision]{
	Name: "post",
	Keys: func(r *revision, add func([]byte)) { add(kv.Key(r.Post)) },
})

func revisionID(post string, number int) string { return fmt.Sprintf("%s.%010d", post, number) }

// keepRevision stores the text of p, written by editor, and drops the oldest
// revision when there are too many. count is how many there are.
func keepRevision(tx kv.Tx, team string, p *api.Post, editor string, count *int) error {
	if *count >= maxRevisions {
		oldest, err := revisions.List(tx, team, kv.Page[revision]{
			Index: "post", Prefixes: [][]byte{kv.Key(p.ID)}, Ascending: true, Limit: *count - maxRevisions + 1,
		})
		if err != nil {
			return err
		}
		for _, id := range oldest.IDs {
			if err := revisions.Delete(tx, team, id); err != nil {
				return err
			}
			*count--
		}
	}
	*count++
	id := revisionID(p.ID, p.Version)
	r := &revision{
		Post: p.ID, Number: p.Version, Title: p.Title, Description: p.Description,
		Tags: p.Tags, Editor: editor, At: p.UpdatedAt,
	}
	if err := revisions.Insert(tx, team, id, r); err != nil {
		return err
	}
	return revisions.PutBody(tx, team, id, []byte(p.Content))
}

func dropRevisions(tx kv.Tx, team, post string) error {
	all, err := revisions.List(tx, team, kv.Page[revision]{Index: "post", Prefixes: [][]byte{kv.Key(post)}, Limit: 2 * maxRevisions})
	if err != nil {
		return err
	}
	for _, id := range all.IDs {
		if err := revisions.Delete(tx, team, id); err != nil {
			return err
		}
	}
	return nil
}

func (r *revision) show() api.Revision {
	out := api.Revision{
		PostID: r.Post, Number: r.Number, Title: r.Title, Description: r.Description,
		Tags: r.Tags, ActorID: r.Editor, CreatedAt: r.At,
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	return out
}

// Revisions lists the earlier texts of a post.
func (s *Service) Revisions(ctx context.Context, who op.Caller, in api.RevisionQuery) (page api.Page[api.Revision], err error) {
	p := kv.Page[revision]{Index: "post", Prefixes: [][]byte{kv.Key(in.ID)}}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		if _, err := table.Get(tx, who.Team, in.ID); err != nil {
			return err
		}
		page, err = op.List(tx, revisions, who.Team, in.ID, in.PageQuery, p, func(id string, r *revision) (api.Revision, error) {
			out := r.show()
			if in.Include == "" {
				return out, nil
			}
			body, err := revisions.Body(tx, who.Team, id)
			out.Content = string(body)
			if in.Include != includeSource && safehtml.Active(out.Content) {
				out.Content = safehtml.Sanitize(out.Content)
			}
			return out, err
		})
		return err
	})
	return page, err
}

// RestoreRevision gives the post the text of a revision.
func (s *Service) RestoreRevision(ctx context.Context, who op.Caller, in api.RevisionRef) (api.Post, error) {
	return op.Update(ctx, s.store, func(tx kv.Tx) (api.Post, error) {
		return s.change(tx, who, api.PostRef{ID: in.ID}, func(p *api.Post) error {
			if p.Status == api.PostArchived {
				return errArchived()
			}
			id := revisionID(in.ID, in.N)
			r, err := revisions.Get(tx, who.Team, id)
			if err != nil {
				return err
			}
			body, err := revisions.Body(tx, who.Team, id)
			p.Title, p.Description, p.Tags, p.Content = r.Title, r.Description, r.Tags, string(body)
			return err
		})
	})
}

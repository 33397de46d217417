// Package posts keeps the posts of a team: their text, slugs, statuses,
// revisions and schedules, and what of them the public may see.
//
// It does not know how text is generated, only that a job does it; nor how a
// post is shown. HTML is kept as it was sent, and is not safe to show.
package posts

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is all posts. The function fields are set once, before it is used.
type Service struct {
	// StartJob queues the generation that in asks for. It runs in the
	// transaction that makes the post.
	StartJob func(tx kv.Tx, who op.Caller, postID string, in api.PostCreate) (api.JobStarted, error)
	// CheckModel refuses the id of a language model that there is none of.
	CheckModel func(id string) error
	// Pages is where the pages of a team's posts are: the address of one by its slug.
	Pages func(ctx context.Context, team string) func(slug string) string
	// Now is the clock.
	Now func() time.Time

	store    kv.Store
	log      *event.Log
	schedule *queue.Queue
	index    *search.Index
}

// New returns the posts kept in store, which report their changes to log. The
// search over them takes its room of memory. Close is owed.
func New(store kv.Store, log *event.Log, memory *search.Memory) *Service {
	s := &Service{
		Pages: func(context.Context, string) func(string) string {
			return func(slug string) string { return "/" + slug }
		},
		Now: time.Now, store: store, log: log, index: search.New(store, source(), memory),
	}
	s.schedule = queue.New(store, "publish", queue.Options{
		Now: func() time.Time { return s.Now() }, Attempts: 100,
		Delay: func(attempt int) time.Duration { return min(time.Second<<min(attempt, 12), time.Hour) },
	})
	return s
}

// Ops are the operations on posts.
func (s *Service) Ops() []op.Op {
	ops := []op.Op{
		{Name: "posts.create", Method: "POST", Path: "/posts", Scope: op.PostsWrite, Status: http.StatusCreated,
			Tool: "create_post", Hints: op.Hints{Title: "Create post", Default: true}, Do: op.Also(op.Func(s.Create), createRules),
			Refuses: []api.Code{api.CodeNoGenerationFlags, api.CodeUnknownModel, api.CodeHTMLTooLarge, api.CodeSlugTaken, api.CodeQuotaExceeded},
			Doc:     "Creates a post, or starts a job that writes one when there is no content but a generate flag."},
		{Name: "posts.generate", Scope: op.PostsWrite | op.AIUse, Class: op.ClassAI, Status: http.StatusAccepted,
			Tool: "generate_post", Hints: op.Hints{Title: "Generate post", Default: true, OpenWorld: true}, Do: op.Func(s.Generate),
			Refuses: []api.Code{api.CodeNoGenerationFlags, api.CodeUnknownModel, api.CodeQuotaExceeded},
			Doc:     "Starts a job that writes a draft post: its body, description, tags or cover, as the generate flags say."},
		{Name: "posts.list", Method: "GET", Path: "/posts", Scope: op.PostsRead,
			Tool: "list_posts", Hints: op.Hints{Title: "List posts", Default: true}, Do: op.Func(s.List),
			Doc: "Lists posts, newest first, without their content unless include=content."},
		{Name: "posts.search", Method: "GET", Path: "/posts/search", Scope: op.PostsRead,
			Tool: "search_posts", Hints: op.Hints{Title: "Search posts", Default: true}, Do: op.Func(s.Find),
			Doc: "Finds posts that answer a question or hold the words of a search, best first."},
		{Name: "posts.get", Method: "GET", Path: "/posts/{id}", Scope: op.PostsRead,
			Tool: "get_post", Hints: op.Hints{Title: "Get post", Default: true}, Do: op.Func(s.Get),
			Doc: "Returns one post with its content."},
		{Name: "posts.getBySlug", Method: "GET", Path: "/posts/by-slug/{slug}", Scope: op.PostsRead, Do: op.Func(s.GetBySlug),
			Doc: "Returns the post with that slug."},
		{Name: "posts.update", Method: "PATCH", Path: "/posts/{id}", Scope: op.PostsWrite,
			Tool: "update_post", Hints: op.Hints{Title: "Update post", Default: true, Destructive: true, Idempotent: true}, Do: op.Also(op.Func(s.Update), patchRules),
			Refuses: []api.Code{api.CodeInvalidTransition, api.CodeHTMLTooLarge, api.CodeSlugTaken},
			Doc:     "Changes the members that are sent (JSON merge patch). An archived post takes only status and metadata."},
	}
	return slices.Concat(ops, texts.Status.Rows("posts", "/posts", s.moved), []op.Op{
		{Name: "posts.delete", Method: "DELETE", Path: "/posts/{id}", Scope: op.PostsWrite, Hints: op.Hints{Destructive: true}, Do: op.Func(s.Delete),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Deletes a draft or an archived post and its revisions for good."},
		{Name: "posts.batch", Method: "POST", Path: "/posts/batch", Scope: op.PostsWrite, Do: op.Func(s.Batch),
			Doc: "Makes up to 100 changes, each on its own, and answers for each."},
		{Name: "posts.revisions", Method: "GET", Path: "/posts/{id}/revisions", Scope: op.PostsRead, Do: op.Func(s.Revisions),
			Doc: "Lists earlier texts of a post, newest first; the last 50 are kept."},
		{Name: "posts.restoreRevision", Method: "POST", Path: "/posts/{id}/revisions/{n}/restore", Scope: op.PostsWrite, Do: op.Func(s.RestoreRevision),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Gives a post the title, description, tags and content of a revision. Keeps the current text as a revision."},
		{Name: "posts.image", Method: "POST", Path: "/posts/{id}/image", Scope: op.PostsWrite | op.AIUse, Class: op.ClassAI, Status: http.StatusAccepted,
			Tool: "generate_post_image", Hints: op.Hints{Title: "Generate post image", Default: true, OpenWorld: true}, Do: op.Func(s.Image),
			Refuses: []api.Code{api.CodeInvalidTransition, api.CodeQuotaExceeded},
			Doc:     "Starts a job that draws a featured image for a post."},
	})
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// Run publishes scheduled posts when they are due, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	s.schedule.Run(ctx, 1, s.publishDue)
	return nil
}

// Reclaim takes over the work of a process that died; see queue.Reclaim.
func (s *Service) Reclaim(ctx context.Context) error { return s.schedule.Reclaim(ctx) }

// publishDue publishes a draft whose time has come. A post that was deleted,
// published or scheduled anew meanwhile stays as it is.
func (s *Service) publishDue(ctx context.Context, c queue.Claim) error {
	who := op.Caller{Kind: op.System, Team: c.Team, Actor: api.Actor{Type: "system", ID: "schedule"}}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		if err := s.schedule.Finish(tx, c); err != nil {
			return err
		}
		_, err := s.change(tx, who, api.PostRef{ID: c.ID}, func(p *api.Post) error {
			if p.Status == api.PostDraft && p.PublishAt != 0 && p.PublishAt <= s.now() {
				p.Status = api.PostPublished
			}
			return nil
		})
		if missing(err) {
			return nil
		}
		return err
	})
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}

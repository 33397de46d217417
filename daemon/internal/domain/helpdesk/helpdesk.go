// Package helpdesk keeps a team's help articles: their text, slugs, categories
// and revisions, the search over them, and the questions that they do not
// answer.
//
// It does not know who asks, a visitor's agent or a search form; nor how an
// article is shown. HTML is kept as it was sent, and is not safe to show.
package helpdesk

import (
	"context"
	"net/http"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is all articles. The function fields are set once, before it is used.
type Service struct {
	// Pages is where the pages of a team's articles are: the address of one by its slug.
	Pages func(ctx context.Context, team string) func(slug string) string
	// Now is the clock.
	Now func() time.Time

	store kv.Store
	log   *event.Log
	index *search.Index
}

// New returns the articles kept in store, which report their changes to log. The
// search over them takes its room of memory. Close is owed.
func New(store kv.Store, log *event.Log, memory *search.Memory) *Service {
	return &Service{
		Pages: func(context.Context, string) func(string) string {
			return func(slug string) string { return "/help/" + slug }
		},
		Now: time.Now, store: store, log: log, index: search.New(store, source(), memory),
	}
}

// Ops are the operations on articles, categories and gaps.
func (s *Service) Ops() []op.Op {
	var all []op.Op
	for _, group := range [][]op.Op{s.articleOps(), s.stateOps(), s.categoryOps(), s.searchOps()} {
		all = append(all, group...)
	}
	return all
}

func (s *Service) articleOps() []op.Op {
	return []op.Op{
		{Name: "helpdesk.articles.create", Method: "POST", Path: "/helpdesk/articles", Scope: op.HelpdeskWrite, Status: http.StatusCreated,
			Tool: "create_helpdesk_article", Hints: op.Hints{Title: "Create help article", Default: true}, Do: op.Also(op.Func(s.Create), createRules),
			Refuses: []api.Code{api.CodeHTMLTooLarge, api.CodeSlugTaken},
			Doc:     "Creates a help article. What an AI client creates is a draft."},
		{Name: "helpdesk.articles.list", Method: "GET", Path: "/helpdesk/articles", Scope: op.HelpdeskRead, Do: op.Func(s.List),
			Doc: "Lists help articles, newest first, without their content unless include=content."},
		{Name: "helpdesk.articles.get", Method: "GET", Path: "/helpdesk/articles/{id}", Scope: op.HelpdeskRead,
			Tool: "get_helpdesk_article", Hints: op.Hints{Title: "Get help article", Default: true}, Do: op.Func(s.Get),
			Doc: "Returns one help article with its content."},
		{Name: "helpdesk.articles.getBySlug", Method: "GET", Path: "/helpdesk/articles/by-slug/{slug}", Scope: op.HelpdeskRead, Do: op.Func(s.GetBySlug),
			Doc: "Returns the help article with a slug."},
		{Name: "helpdesk.articles.update", Method: "PATCH", Path: "/helpdesk/articles/{id}", Scope: op.HelpdeskWrite,
			Tool: "update_helpdesk_article", Hints: op.Hints{Title: "Update help article", Idempotent: true}, Do: op.Also(op.Func(s.Update), patchRules),
			Refuses: []api.Code{api.CodeInvalidTransition, api.CodeHTMLTooLarge, api.CodeSlugTaken},
			Doc:     "Changes the members that are sent; null clears one. An AI client cannot publish this way."},
		{Name: "helpdesk.articles.delete", Method: "DELETE", Path: "/helpdesk/articles/{id}", Scope: op.HelpdeskWrite, Hints: op.Hints{Destructive: true}, Do: op.Func(s.Delete),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Deletes an archived help article and its revisions for good."},
		{Name: "helpdesk.articles.revisions", Method: "GET", Path: "/helpdesk/articles/{id}/revisions", Scope: op.HelpdeskRead, Do: op.Func(s.Revisions),
			Doc: "Lists earlier texts of a help article, newest first; the last 50 are kept."},
		{Name: "helpdesk.articles.restoreRevision", Method: "POST", Path: "/helpdesk/articles/{id}/revisions/{n}/restore", Scope: op.HelpdeskWrite, Do: op.Func(s.RestoreRevision),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Gives a help article the title, tags and content of a revision. Keeps the current text as a revision."},
	}
}

func (s *Service) stateOps() []op.Op {
	return append(texts.Status.Rows("helpdesk.articles", "/helpdesk/articles", s.moved),
		op.Op{Name: "helpdesk.articles.feedback", Method: "POST", Path: "/helpdesk/articles/{id}/feedback", Scope: op.HelpdeskRead, Do: op.Func(s.Feedback),
			Doc: "Counts that a reader found a published help article helpful, or not."},
	)
}

func (s *Service) searchOps() []op.Op {
	return []op.Op{
		{Name: "helpdesk.search", Method: "GET", Path: "/helpdesk/search", Scope: op.HelpdeskRead,
			Tool: "search_helpdesk", Hints: op.Hints{Title: "Search helpdesk", Default: true}, Do: op.Func(s.Find),
			Doc: "Finds help articles that answer a question or hold the words of a search, best first."},
		{Name: "helpdesk.gaps.list", Method: "GET", Path: "/helpdesk/gaps", Scope: op.HelpdeskRead, Do: op.Func(s.ListGaps),
			Doc: "Lists questions that no help article answers, those of one meaning together."},
		{Name: "helpdesk.gaps.dismiss", Frees: true, Method: "POST", Path: "/helpdesk/gaps/{id}/dismiss", Scope: op.HelpdeskWrite, Do: op.Func(s.DismissGap),
			Doc: "Dismisses a gap. Repeated questions are still counted; it does not reopen."},
		{Name: "helpdesk.gaps.draft", Method: "POST", Path: "/helpdesk/gaps/{id}/draft", Scope: op.HelpdeskWrite, Status: http.StatusCreated, Do: op.Func(s.DraftGap),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Makes a draft help article of a gap, for somebody to write the answer."},
		{Name: "helpdesk.reindex", Method: "POST", Path: "/helpdesk/reindex", Scope: op.HelpdeskWrite, Do: op.Func(s.Reindex),
			Doc: "Drops the search index of the team's help articles and builds it again."},
	}
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

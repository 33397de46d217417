package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func (s *posts) actions() []action {
	return []action{
		{key: "e", name: "edit", doc: "Edit the post as Markdown in your editor", write: true, run: s.edit},
		{key: "p", name: "publish", doc: "Publish the post, or the marked ones; a published one becomes a draft", write: true, run: s.publish},
		{key: "g", name: "generate", doc: "Have a model write a new post", write: true, run: s.generate},
		{key: "n", name: "new", doc: "Write a new post in your editor", write: true, run: s.create},
		{key: "a", name: "archive", doc: "Archive the post, or the marked ones; an archived one becomes a draft", write: true, run: s.archive},
		{key: "D", name: "delete", doc: "Delete an archived post for good", write: true, silent: true, run: s.remove},
		{key: "s", name: "status", doc: "Show all, drafts, published or archived posts", run: s.nextStatus},
		{key: "/", name: "filter", doc: "Show the posts with these words", run: s.startFilter},
		{key: "enter", name: "open", doc: "Read the post", silent: true, run: s.enter},
		{key: "esc", name: "back", doc: "Back to the list", silent: true, run: s.back},
	}
}

func (s *posts) enter() tea.Cmd {
	s.front = true
	return s.preview()
}

func (s *posts) back() tea.Cmd {
	switch {
	case s.front && s.narrow():
		s.front = false
	case len(s.list.marked) > 0:
		s.list.unmark()
	case !s.filter.empty():
		s.filter.set("")
		q := s.query
		q.Q = ""
		return s.load(q)
	}
	return nil
}

func (s *posts) startFilter() tea.Cmd {
	s.filling, s.front = true, false
	return nil
}

func (s *posts) nextStatus() tea.Cmd {
	q := s.query
	for i, status := range statuses {
		if status == s.query.Status {
			q.Status = statuses[(i+1)%len(statuses)]
			break
		}
	}
	s.list.cursor, s.list.top = 0, 0
	return s.load(q)
}

func (s *posts) edit() tea.Cmd {
	p := s.list.current()
	if p == nil || s.desk.EditPost == nil {
		return nil
	}
	id := p.ID
	return s.away("edit the post", func(ctx context.Context, t Terminal) (tea.Msg, error) {
		text, err := s.desk.EditPost(ctx, t, id)
		return tea.BatchMsg{send(postsRefreshed{}), say(text)}, err
	})
}

func (s *posts) create() tea.Cmd {
	if s.desk.NewPost == nil {
		return nil
	}
	return s.away("write a post", func(ctx context.Context, t Terminal) (tea.Msg, error) {
		text, err := s.desk.NewPost(ctx, t)
		return tea.BatchMsg{send(postsRefreshed{}), say(text)}, err
	})
}

// each makes one change to every chosen post, with one message for each.
func (s *posts) each(doing string, chosen []api.Post, change func(context.Context, api.Post) (*api.Post, string, error)) tea.Cmd {
	s.list.unmark()
	var cmds []tea.Cmd
	for _, p := range chosen {
		cmds = append(cmds, s.work(doing+" "+line(p.Slug), func(ctx context.Context) (tea.Msg, error) {
			changed, done, err := change(ctx, p)
			return postChanged{changed, done}, err
		}))
	}
	return tea.Batch(cmds...)
}

func (s *posts) publish() tea.Cmd {
	return s.each("publish", s.list.chosen(), func(ctx context.Context, p api.Post) (*api.Post, string, error) {
		ref := api.PostRef{ID: p.ID}
		if p.Status == api.PostPublished {
			changed, err := s.api.Unpublish(ctx, ref)
			return changed, line(p.Slug) + " is a draft again", err
		}
		changed, err := s.api.Publish(ctx, ref)
		return changed, "published " + line(p.Slug), err
	})
}

func (s *posts) archive() tea.Cmd {
	chosen := s.list.chosen()
	move := func() tea.Cmd {
		return s.each("archive", chosen, func(ctx context.Context, p api.Post) (*api.Post, string, error) {
			ref := api.PostRef{ID: p.ID}
			if p.Status == api.PostArchived {
				changed, err := s.api.Unarchive(ctx, ref)
				return changed, line(p.Slug) + " is a draft again", err
			}
			changed, err := s.api.Archive(ctx, ref)
			return changed, "archived " + line(p.Slug), err
		})
	}
	if len(chosen) < 2 {
		return move()
	}
	return s.tell(confirm{question: fmt.Sprintf("Archive %d posts?", len(chosen)), then: move})
}

func (s *posts) remove() tea.Cmd {
	p := s.list.current()
	if p == nil {
		return nil
	}
	if p.Status != api.PostArchived {
		return say("only archived posts can be deleted; a archives it")
	}
	id, slug := p.ID, p.Slug
	return s.tell(confirm{question: "Delete “" + line(p.Title) + "” for good?", typed: slug, then: func() tea.Cmd {
		return s.work("delete "+line(slug), func(ctx context.Context) (tea.Msg, error) {
			return postGone{id, slug}, s.api.Delete(ctx, api.Ref{ID: id})
		})
	}})
}

// jobBegun says that a job was started here.
type jobBegun struct{ job *sdk.JobHandle }

func (s *posts) generate() tea.Cmd {
	return s.tell(ask{question: "Title of the post to write", then: func(title string) tea.Cmd {
		in := api.PostCreate{Title: strings.TrimSpace(title), GenerateContent: true, GenerateDescription: true, GenerateTags: true, GenerateImage: true}
		if in.Title == "" {
			return nil
		}
		return s.work("generate a post", func(ctx context.Context) (tea.Msg, error) {
			job, err := s.api.Generate(ctx, in)
			return tea.BatchMsg{send(jobBegun{job}), send(postsRefreshed{}), say("a job writes “" + line(title) + "”; 2 shows it")}, err
		})
	}})
}

package posts

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Actions implements screen.Screen.
func (s *Screen) Actions() []screen.Action {
	return append([]screen.Action{
		{Key: "e", Name: "edit", Doc: "Edit the post as Markdown in your editor", Write: true, Run: s.edit},
		{Key: "p", Name: "publish", Doc: "Publish the post, or the marked ones; a published one becomes a draft", Write: true, Run: s.publish},
		{Key: "g", Name: "generate", Doc: "Have a model write a new post", Write: true, Run: s.generate},
		{Key: "n", Name: "new", Doc: "Write a new post in your editor", Write: true, Run: s.create},
		{Key: "a", Name: "archive", Doc: "Archive the post, or the marked ones; an archived one becomes a draft", Write: true, Run: s.archive},
		{Key: "D", Name: "delete", Doc: "Delete a draft or archived post", Write: true, Silent: true, Run: s.remove},
		{Key: "f", Name: "status", Doc: "Show all, drafts, published or archived posts", Run: s.nextStatus},
		{Key: "s", Name: "sort", Doc: "Order by time of creation, of the latest change, title or words", Silent: true, Run: s.nextOrder},
	}, s.Moves(nil)...)
}

func (s *Screen) nextStatus() tea.Cmd {
	q := s.query
	for i, status := range statuses {
		if status == s.query.Status {
			q.Status = statuses[(i+1)%len(statuses)]
			break
		}
	}
	s.Listed.Cursor, s.Listed.Top = 0, 0
	return s.load(q)
}

func (s *Screen) nextOrder() tea.Cmd {
	s.order = (s.order + 1) % len(orders)
	s.arrange()
	return s.preview()
}

func (s *Screen) edit() tea.Cmd {
	p := s.Listed.Current()
	if p == nil || s.Desk.EditPost == nil {
		return nil
	}
	id := p.ID
	return s.Away("edit the post", func(ctx context.Context, t screen.Terminal) (tea.Msg, error) {
		text, err := s.Desk.EditPost(ctx, t, id)
		return tea.BatchMsg{screen.Send(screen.PostsChanged{}), screen.Say(text)}, err
	})
}

func (s *Screen) create() tea.Cmd {
	if s.Desk.NewPost == nil {
		return nil
	}
	return s.Away("write a post", func(ctx context.Context, t screen.Terminal) (tea.Msg, error) {
		text, err := s.Desk.NewPost(ctx, t)
		return tea.BatchMsg{screen.Send(screen.PostsChanged{}), screen.Say(text)}, err
	})
}

// each makes one change to every chosen post, with one message for each.
func (s *Screen) each(doing string, chosen []api.Post, change func(context.Context, api.Post) (*api.Post, string, error)) tea.Cmd {
	s.Listed.Unmark()
	var cmds []tea.Cmd
	for _, p := range chosen {
		cmds = append(cmds, s.Work(doing+" "+part.Line(p.Slug), func(ctx context.Context) (tea.Msg, error) {
			changed, done, err := change(ctx, p)
			return postChanged{changed, done}, err
		}))
	}
	return tea.Batch(cmds...)
}

func (s *Screen) publish() tea.Cmd {
	return s.each("publish", s.Listed.Chosen(), func(ctx context.Context, p api.Post) (*api.Post, string, error) {
		ref := api.PostRef{ID: p.ID}
		if p.Status == api.PostPublished {
			changed, err := s.api.Unpublish(ctx, ref)
			return changed, part.Line(p.Slug) + " is a draft again", err
		}
		changed, err := s.api.Publish(ctx, ref)
		if err == nil && changed.Held != "" {
			return changed, part.Line(p.Slug) + " is held back and not public yet: its text is not complete", nil
		}
		return changed, "published " + part.Line(p.Slug), err
	})
}

func (s *Screen) archive() tea.Cmd {
	chosen := s.Listed.Chosen()
	move := func() tea.Cmd {
		return s.each("archive", chosen, func(ctx context.Context, p api.Post) (*api.Post, string, error) {
			ref := api.PostRef{ID: p.ID}
			if p.Status == api.PostArchived {
				changed, err := s.api.Unarchive(ctx, ref)
				return changed, part.Line(p.Slug) + " is a draft again", err
			}
			changed, err := s.api.Archive(ctx, ref)
			return changed, "archived " + part.Line(p.Slug), err
		})
	}
	if len(chosen) < 2 {
		return move()
	}
	return s.Tell(screen.Confirm{Question: fmt.Sprintf("Archive %d posts?", len(chosen)), Then: move})
}

func (s *Screen) remove() tea.Cmd {
	p := s.Listed.Current()
	if p == nil {
		return nil
	}
	if p.Status == api.PostPublished {
		return screen.Refuse("a published post cannot be deleted; a archives it")
	}
	id, slug := p.ID, p.Slug
	return s.Tell(screen.Confirm{Question: "Delete “" + part.Line(p.Title) + "” for good?", Typed: slug, Then: func() tea.Cmd {
		return s.Work("delete "+part.Line(slug), func(ctx context.Context) (tea.Msg, error) {
			return postGone{id, slug}, s.api.Delete(ctx, api.Ref{ID: id})
		})
	}})
}

func (s *Screen) generate() tea.Cmd {
	return s.Tell(screen.Ask{Question: "Title of the post to write", Then: func(title string) tea.Cmd {
		in := api.PostCreate{Title: strings.TrimSpace(title), GenerateContent: true, GenerateDescription: true, GenerateTags: true, GenerateImage: true}
		if in.Title == "" {
			return nil
		}
		return s.Work("generate a post", func(ctx context.Context) (tea.Msg, error) {
			_, err := s.api.Generate(ctx, in)
			return tea.BatchMsg{screen.Send(screen.JobBegun{}), screen.Send(screen.PostsChanged{}), screen.Say("a job writes “" + part.Line(title) + "”; 2 shows it")}, err
		})
	}})
}

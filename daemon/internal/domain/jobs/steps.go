package jobs

import (
	"context"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/sdk/api"
)

// perform does what a step is for.
func (s *Service) perform(ctx context.Context, t *task, st *api.JobStep) error {
	switch st.Name {
	case stepImage:
		return s.draw(ctx, t)
	case stepContent:
		return s.write(ctx, t, st, contentPrompt, llm.TaskContent, func(text string) error {
			html, err := cleanHTML(text)
			if err == nil {
				t.made.Content = api.Some(html)
			}
			return err
		})
	case stepDescription:
		return s.write(ctx, t, st, descriptionPrompt, llm.TaskDescription, func(text string) error {
			line := cleanLine(text)
			if line == "" && t.rec.Job.Provider == llm.ProviderOffline {
				st.Warning = "No description was written: no sentence of the text is about the title."
				return nil
			}
			if line == "" {
				return errNothing
			}
			t.made.Description = api.Some(line)
			return nil
		})
	default:
		return s.write(ctx, t, st, tagsPrompt, llm.TaskTags, func(text string) error {
			tags := cleanTags(text)
			if len(tags) == 0 {
				return errNothing
			}
			t.made.Tags = api.Some(mergeTags(t.post.Tags, tags))
			return nil
		})
	}
}

// write asks the model for one text and hands it to take, which may refuse it.
func (s *Service) write(ctx context.Context, t *task, st *api.JobStep, prompt func(*task) string, kind llm.TaskKind, take func(string) error) error {
	id := t.claim.ID
	resp, err := s.models.Complete(ctx, llm.Request{
		Model:     t.rec.Job.Model,
		System:    t.facts.system(),
		Messages:  []llm.Message{{Role: llm.RoleUser, Text: prompt(t)}},
		OnDelta:   func(text string) { s.hub.delta(id, text) },
		OnRestart: func() { s.hub.restart(id) },
		Offline:   t.offline(kind),
	})
	t.rec.Job.Usage.InputTokens += int(resp.Usage.InputTokens)
	t.rec.Job.Usage.OutputTokens += int(resp.Usage.OutputTokens)
	if err != nil {
		return err
	}
	t.rec.Job.Provider = resp.Provider
	switch resp.StopReason {
	case llm.StopRefusal:
		return fmt.Errorf("%s: the model declined to write this", resp.Provider)
	case llm.StopMaxTokens:
		st.Warning = "The " + st.Name + " was cut short at the model's limit; it ends with its last whole sentence."
		return take(whole(st.Name, unfence(resp.Text)))
	}
	return take(resp.Text)
}

func (s *Service) draw(ctx context.Context, t *task) error {
	req := llm.ImageRequest{Title: t.post.Title, Subtitle: t.facts.team}
	if t.rec.onlyImage() { // otherwise the prompt is about the text
		req.Prompt = t.facts.brief.Prompt
	}
	img, err := s.models.Image(ctx, req)
	if err != nil {
		return err
	}
	t.image = &img
	if t.rec.Job.Provider == "" {
		t.rec.Job.Provider = img.Provider
	}
	return nil
}

func (r *record) onlyImage() bool { return len(r.Job.Steps) == 1 && r.Job.Steps[0].Name == stepImage }

// content is what descriptions and tags are made from: the new body, else the
// one that is there.
func (t *task) content() string {
	if t.made.Content.Set {
		return t.made.Content.Value
	}
	return t.post.Content
}

func (t *task) offline(kind llm.TaskKind) *llm.OfflineTask {
	b := t.facts.brief
	return &llm.OfflineTask{
		Kind: kind, Title: t.post.Title, Prompt: b.Prompt, Audience: b.Audience, Tone: b.Tone, Length: b.Length,
		Brand: llm.Brand{Name: t.facts.team, Facts: t.facts.brand.Facts}, Related: t.facts.sources, Content: t.content(),
	}
}

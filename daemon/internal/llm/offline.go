package llm

import (
	"context"
	"strings"
)

// TaskKind is what the offline client is to compute.
type TaskKind string

// The kinds of task.
const (
	TaskContent     TaskKind = "content"     // HTML: an outline with [to complete] marks
	TaskDescription TaskKind = "description" // one line of at most 160 characters
	TaskTags        TaskKind = "tags"        // up to six, lower case, separated by ", "
	TaskChat        TaskKind = "chat"        // a verified quote or a canned response; else ToolHandOff is called
)

// OfflineTask is a task with its facts taken apart, where a prompt has them in
// prose. The offline client repeats and orders these facts and adds none.
type OfflineTask struct {
	Kind     TaskKind
	Title    string
	Prompt   string // what the author asked for
	Audience string
	Tone     string
	Length   string // short, medium (also when empty) or long
	Brand    Brand
	Related  []Source
	Content  string // HTML of the post that a description or tags are for

	Question string    // of a visitor, for TaskChat; without one the answer is that no model writes
	Before   string    // what the visitor was told last
	Passages []Passage // that were found for it, best first
	Common   int       // articles that have the word of a question of one word
	Empty    bool      // there is no article at all
	Canned   []Canned  // that may be used, best first
}

// Brand is what a team says of itself.
type Brand struct {
	Name  string
	Facts []string
}

// Source is a document that may be quoted.
type Source struct {
	Title string
	Text  string // plain text or HTML
	URL   string
}

// toComplete marks what a person has to write.
const toComplete = "[to complete]"

const noModel = "No language model is configured for this service, so this answer was not written by one. " +
	"An operator can set a vendor's key to change that."

// offline computes answers in this process: the same request always gives the
// same answer.
type offline struct{}

func (offline) label() string { return ProviderOffline }
func (offline) way() *lane    { return nil }

func (offline) complete(ctx context.Context, c call) (Response, error) {
	text, unanswered := offlineText(c.Offline), false
	if c.Offline != nil && c.Offline.Kind == TaskChat && c.Offline.Question != "" {
		answer := chat(*c.Offline)
		if answer.handOff != "" {
			return Response{ToolCalls: []ToolCall{handsOff(answer.handOff)}, StopReason: StopToolCalls}, nil
		}
		text, unanswered = answer.text, answer.unanswered
	}
	if c.OnDelta != nil {
		for piece := range pieces(text) {
			if ctx.Err() != nil {
				return Response{}, ctx.Err()
			}
			c.OnDelta(piece)
		}
	}
	return Response{Text: text, StopReason: StopEnd, Unanswered: unanswered}, nil
}

func offlineText(t *OfflineTask) string {
	if t == nil {
		return noModel
	}
	switch t.Kind {
	case TaskContent:
		return outline(*t)
	case TaskDescription:
		return describe(*t)
	case TaskTags:
		return strings.Join(tags(*t), ", ")
	default:
		return noModel
	}
}

// pieces cuts text after every third space, about as much as a model sends at
// once, so that screens show an offline answer as they show any other.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, spaces := 0, 0
		for i, r := range text {
			if r != ' ' {
				continue
			}
			if spaces++; spaces%3 == 0 {
				if !yield(text[start : i+1]) {
					return
				}
				start = i + 1
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

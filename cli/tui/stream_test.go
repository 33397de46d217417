package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/exp/teatest"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"edgesvc.dev/svc/sdk/api"
)

// alive runs the screens as a program.
func alive(t *testing.T, s *world) *teatest.TestModel {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	e, wait := newErrands(ctx)
	t.Cleanup(func() {
		cancel()
		wait()
	})
	r := lipgloss.NewRenderer(os.Stderr)
	r.SetColorProfile(termenv.Ascii)
	m := newModel(Config{Posts: s.posts, Jobs: s.jobs, JobFeed: s.jobs.Feed, Inbox: s.inbox, Canned: s.canned, Agents: s.agents, Tasks: s.tasks}, e, r, func(string) {})
	return teatest.NewTestModel(t, m, teatest.WithInitialTermSize(100, 30))
}

func shows(t *testing.T, tm *teatest.TestModel, texts ...string) {
	t.Helper()
	seen := ""
	teatest.WaitFor(t, tm.Output(), func(b []byte) bool {
		seen = string(b)
		for _, text := range texts {
			if !bytes.Contains(b, []byte(text)) {
				return false
			}
		}
		return true
	}, teatest.WithDuration(10*time.Second))
	_ = seen
}

// TestJobStreams: what a model writes is on the screen while it writes.
func TestJobStreams(t *testing.T) {
	s := newWorld(t, 100, 30, "recorded.json")
	s.jobs.live = make(chan api.JobEvent)
	s.jobs.page.Data = s.jobs.page.Data[:1]
	job := s.jobs.page.Data[0]
	tm := alive(t, s)
	tm.Send(keyOf("2"))
	shows(t, tm, "Jobs · live")
	for i := range 300 {
		s.jobs.live <- api.JobEvent{Type: "delta", Step: "content", Text: fmt.Sprintf("word%d ", i)}
	}
	shows(t, tm, "word299")
	s.jobs.live <- api.JobEvent{Type: "reset"}
	s.jobs.live <- api.JobEvent{Type: "delta", Text: "<p>Anew</p>"}
	shows(t, tm, "Anew")
	job.State, job.Progress = api.JobCompleted, 100
	s.jobs.live <- api.JobEvent{Type: "job", Job: &job}
	close(s.jobs.live)
	shows(t, tm, "100%")
	tm.Send(keyOf("q"))
	tm.WaitFinished(t, teatest.WithFinalTimeout(10*time.Second))
}

// TestJobsOfOthers: a job that was started elsewhere appears by itself, and what
// becomes of it.
func TestJobsOfOthers(t *testing.T) {
	s := newWorld(t, 100, 30, "recorded.json")
	s.jobs.page.Data = nil
	s.jobs.all = make(chan api.JobEvent)
	tm := alive(t, s)
	tm.Send(keyOf("2"))
	shows(t, tm, "No jobs yet.")
	job := api.Job{ID: "job_2", PostID: s.posts.page.Data[0].ID, State: api.JobQueued, Version: 1}
	s.jobs.all <- api.JobEvent{Type: "job", Job: &job}
	shows(t, tm, "2 Jobs¹", "queued: Why Go for the edge")
	newer := api.Job{ID: "job_3", PostID: s.posts.page.Data[1].ID, State: api.JobQueued, Version: 1}
	s.jobs.all <- api.JobEvent{Type: "job", Job: &newer}
	failed := job
	failed.State, failed.Version, failed.Error = api.JobFailed, 2, &api.JobError{Code: "rate_limited"}
	s.jobs.all <- api.JobEvent{Type: "job", Job: &failed}
	s.jobs.all <- api.JobEvent{Type: "job", Job: &job} // overtaken
	shows(t, tm, "rate_limited")
	tm.Send(keyOf("q"))
	final := tm.FinalModel(t, teatest.WithFinalTimeout(10*time.Second)).(*model)
	rows := final.screens[1].(*jobs).list.rows
	if len(rows) != 2 || rows[0].ID != "job_3" || rows[1].State != api.JobFailed {
		t.Errorf("the jobs are %+v", rows)
	}
}

// TestConversationStreams: an answer grows token by token, and is replaced by
// the message that it becomes.
func TestConversationStreams(t *testing.T) {
	s := newWorld(t, 100, 30, "recorded.json")
	s.inbox.live = make(chan api.ConversationEvent)
	tm := alive(t, s)
	tm.Send(keyOf("3"))
	shows(t, tm, "Is duty included?")
	s.inbox.live <- api.ConversationEvent{Type: "start", MessageID: "msg_n"}
	for _, word := range []string{"No, ", "duty ", "is extra"} {
		s.inbox.live <- api.ConversationEvent{Type: "delta", MessageID: "msg_n", Text: word}
	}
	shows(t, tm, "No, duty is extra▌", "streaming…")
	s.inbox.live <- api.ConversationEvent{Type: "message", Message: &api.Message{ID: "msg_n", Seq: 5, Text: "No, duty is extra.",
		Author: api.MessageAuthor{Type: api.AuthorAgent, Name: "Nova"}, CreatedAt: api.TimeOf(noon)}}
	shows(t, tm, "No, duty is extra.")
	tm.Send(keyOf("q"))
	final := tm.FinalModel(t, teatest.WithFinalTimeout(10*time.Second)).(*model)
	if v := final.View(); strings.Contains(v, "streaming…") || strings.Count(v, "duty is extra") != 1 {
		t.Errorf("the answer is there twice, or still being written:\n%s", v)
	}
}

// pressed is what the random runs press.
var pressed = []string{"1", "2", "3", "4", "up", "down", "left", "right", "enter", "esc", "tab", " ", "n", "p", "a", "A", "y", "Y", "o", "r", "z", "T", "R", "C", "D", "s", "g",
	"i", "t", "b", "c", "x", "/", ":", "?", "@", "v", "pgup", "pgdown", "home", "end", "G", "backspace", "ctrl+s", "ctrl+r", "ctrl+p", "ctrl+w", "日", "🙋", "e\u0301", "hello"}

// sizes are those of terminals, from a word to a wall.
var sizes = rapid.OneOf(
	rapid.SampledFrom([][2]int{{80, 24}, {120, 40}, {60, 15}, {59, 14}, {45, 11}, {40, 10}, {39, 9}}),
	rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(40, 200).Draw(t, "w"), rapid.IntRange(10, 60).Draw(t, "h")}
	}),
	rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")}
	}),
)

// TestAnyKeys: whatever is pressed at whatever size, the screens go on and fit.
func TestAnyKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := sizes.Draw(rt, "size")
		s := newWorld(t, size[0], size[1], rapid.SampledFrom([]string{"", "recorded.json"}).Draw(rt, "data"))
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(pressed), 1, 40).Draw(rt, "keys") {
			s.keys(key)
			s.view()
			if rapid.IntRange(0, 9).Draw(rt, "other") == 0 {
				size := sizes.Draw(rt, "size")
				s.do(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				s.do(tea.MouseMsg{X: rapid.IntRange(0, 160).Draw(rt, "x"), Y: rapid.IntRange(0, 50).Draw(rt, "y"), Action: tea.MouseActionPress,
					Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}).Draw(rt, "button")})
				s.view()
			}
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

func BenchmarkView(b *testing.B) {
	for i, name := range []string{"posts", "jobs", "inbox", "agents"} {
		b.Run(name, func(b *testing.B) {
			s := newWorld(b, 120, 40, "recorded.json")
			s.keys(fmt.Sprint(i + 1))
			for b.Loop() {
				_ = s.m.View()
			}
		})
	}
}

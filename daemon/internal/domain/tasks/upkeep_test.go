package tasks_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/tasks"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/sdk/api"
)

// TestRunThatACrashCutOffIsFailed looks at the store as a process finds it that
// starts while another's run was under way.
func TestRunThatACrashCutOffIsFailed(t *testing.T) {
	reached, stop := make(chan string, 1), make(chan struct{})
	w := open(t)
	end := sink(t, func(_ http.ResponseWriter, r *http.Request) {
		page := optest.Must[api.Page[api.TaskRun]](w, "tasks.runs", m{"state": "running"})
		reached <- page.Data[0].ID
		<-stop
	})
	task := w.create(end.URL, m{"timeoutMs": 30000})
	first := w.tasks
	var dying conc.WaitGroup
	release := sync.OnceFunc(func() { close(stop); dying.Wait() })
	defer release()
	dying.Go(func() {
		_, _ = first.Run(context.WithoutCancel(t.Context()), tasks.Invocation{Team: "team_a", TaskID: task.ID, Trigger: tasks.TriggerAutomation})
	})
	id := <-reached
	w.restart(outbound.Options{Allow: loopback()}, llm.Config{})
	for range 2 {
		if err := w.tasks.Reclaim(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run := optest.Must[api.TaskRun](w, "tasks.getRun", m{"id": id})
	events := w.Events()
	if run.State != api.RunFailed || !run.Error.Retryable || len(events) != 1 || events[0].Type != "agent.task_failed" {
		t.Errorf("%+v %+v", run, events)
	}
	release()
	if again := optest.Must[api.TaskRun](w, "tasks.getRun", m{"id": id}); again.State != api.RunFailed || again.Version != run.Version {
		t.Errorf("the dead process's answer came through: %+v", again)
	}
}

func TestRunsAreKeptForThirtyDays(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	task := w.create("https://x.io/", nil)
	start := w.Now()
	for range 250 {
		w.done(task.ID)
	}
	w.Set(start.Add(20 * 24 * time.Hour))
	kept := w.done(task.ID)
	for _, row := range []struct{ day, want int }{{29, 251}, {31, 1}} {
		w.Set(start.Add(time.Duration(row.day) * 24 * time.Hour))
		if err := w.tasks.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.count(); got != row.want {
			t.Errorf("on day %d there are %d runs", row.day, got)
		}
	}
	optest.Must[api.TaskRun](w, "tasks.getRun", m{"id": kept})
	w.Set(start.AddDate(1, 0, 0)) // a clock that has jumped
	if err := w.tasks.Sweep(t.Context()); !errors.Is(err, event.ErrClock) || w.count() != 1 {
		t.Errorf("%v, %d runs are left", err, w.count())
	}
}

func (w *world) count() (n int) {
	for cursor := ""; ; {
		page := optest.Must[api.Page[api.TaskRun]](w, "tasks.runs", m{"limit": 100, "cursor": cursor})
		n += len(page.Data)
		if cursor = page.NextCursor; cursor == "" {
			return n
		}
	}
}

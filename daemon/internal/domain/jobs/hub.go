package jobs

import (
	"context"
	"strings"
	"sync"

	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/sdk/api"
)

// hub tells watchers of jobs what happens, as it happens. Nothing in it is
// stored. The zero hub is empty.
type hub struct {
	mu      sync.Mutex // guards all that hangs on it
	streams map[string]*stream
	feeds   live.Groups[*feed] // of all jobs, by team
}

// stream is what goes on about one job while somebody watches it or it is being
// written.
type stream struct {
	watchers map[*Watch]struct{}
	writing  bool
	step     string
	text     strings.Builder // of the step so far
}

// Watch follows one job. A slow reader loses nothing and delays nobody: what it
// has not taken is kept, joined, until it does.
type Watch struct {
	hub *hub
	id  string

	// Guarded by hub.mu.
	box    live.Box[api.JobEvent]
	latest int // version of the job in the last event that held it
	done   bool
}

// Watch follows a job of a team: first the whole job as it is and the text of
// the step being written, then what happens. Close is owed.
func (s *Service) Watch(ctx context.Context, team, id string) (*Watch, error) {
	w := &Watch{hub: &s.hub, id: id}
	s.hub.join(w)
	job, err := s.read(ctx, team, id)
	if err != nil {
		w.Close()
		return nil, err
	}
	s.hub.begin(w, &job)
	return w, nil
}

// Follow hands the events to f until the last of them is the job in a state that it
// does not leave by itself, f fails or ctx ends.
func (w *Watch) Follow(ctx context.Context, f func(api.JobEvent) error) error {
	return live.Drain(ctx, &w.hub.mu, &w.box, func(events []api.JobEvent) (done bool, err error) {
		for _, e := range events {
			if err := f(e); err != nil {
				return false, err
			}
			done = e.Job != nil && e.Job.Done()
		}
		return done, nil
	})
}

// Close ends the watch.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if st := w.hub.streams[w.id]; st != nil {
		delete(st.watchers, w)
		w.hub.sweep(w.id)
	}
}

func (w *Watch) add(e api.JobEvent) {
	if w.done {
		return
	}
	if last := w.box.Last(); e.Type == "delta" && last != nil && last.Type == "delta" && last.Step == e.Step && w.box.Grow(len(e.Text)) {
		last.Text += e.Text
	} else {
		w.box.Add(e, len(e.Text), api.JobEvent{})
	}
	if e.Job != nil {
		w.latest, w.done = e.Job.Version, e.Job.Done()
	}
}

func (h *hub) stream(id string) *stream {
	st := h.streams[id]
	if st == nil {
		if h.streams == nil {
			h.streams = map[string]*stream{}
		}
		st = &stream{watchers: map[*Watch]struct{}{}}
		h.streams[id] = st
	}
	return st
}

// sweep forgets a stream that nobody needs.
func (h *hub) sweep(id string) {
	if st := h.streams[id]; st != nil && len(st.watchers) == 0 && !st.writing {
		delete(h.streams, id)
	}
}

func (h *hub) join(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stream(w.id).watchers[w] = struct{}{}
}

// begin gives a watch its first events. What came in between is in them: the
// text so far, and the job unless a later state of it has arrived already.
func (h *hub) begin(w *Watch, job *api.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range w.box.Take() {
		if e.Job != nil && e.Job.Version > job.Version {
			job = e.Job
		}
	}
	w.done = false
	w.add(api.JobEvent{Type: "job", Job: job})
	if st := h.streams[w.id]; st.text.Len() > 0 {
		w.add(api.JobEvent{Type: "delta", Step: st.step, Text: st.text.String()})
	}
}

// publish tells of a new state of a team's job.
func (h *hub) publish(team string, job *api.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.feeds[team] {
		f.add(job)
	}
	st := h.streams[job.ID]
	if st == nil {
		return
	}
	for w := range st.watchers {
		if job.Version > w.latest {
			w.add(api.JobEvent{Type: "job", Job: job})
		}
	}
}

// write says that a step of a job is being written, "" that none is.
func (h *hub) write(id, step string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	st := h.stream(id)
	st.writing, st.step = step != "", step
	st.text.Reset()
	h.sweep(id)
}

// delta passes on a piece of the text being written.
func (h *hub) delta(id, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	st := h.stream(id)
	st.text.WriteString(text)
	for w := range st.watchers {
		w.add(api.JobEvent{Type: "delta", Step: st.step, Text: text})
	}
}

// restart takes back the text of the step.
func (h *hub) restart(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	st := h.stream(id)
	st.text.Reset()
	for w := range st.watchers {
		w.add(api.JobEvent{Type: "reset", Step: st.step})
	}
}

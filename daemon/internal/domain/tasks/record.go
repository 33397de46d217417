package tasks

import (
	"context"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// record is a task as it is stored. The task holds no secret; those are sealed
// beside it.
type record struct {
	Task    api.Task          `json:"t"`
	Key     []byte            `json:"k,omitempty"`
	Headers map[string][]byte `json:"h,omitempty"` // by the header's name in lower case
}

var table = kv.NewTable("task",
	kv.Index[record]{Name: "all", Keys: func(_ *record, add func([]byte)) { add(nil) }},
	kv.Index[record]{Name: "agent", Keys: func(r *record, add func([]byte)) { add(kv.Key(r.Task.AgentID)) }},
)

// runRecord is a run as it is stored, with who asked for it.
type runRecord struct {
	Run   api.TaskRun `json:"r"`
	Actor api.Actor   `json:"a"`
}

var runs = kv.NewTable("run",
	kv.Index[runRecord]{Name: "state", Keys: func(r *runRecord, add func([]byte)) { add(kv.Key(r.Run.State)) }},
	kv.Index[runRecord]{Name: "task", Keys: func(r *runRecord, add func([]byte)) { add(kv.Key(r.Run.TaskID)) }},
)

// underway lists the runs that are not done, under their ids, so that the next
// start of the daemon finds those that a crash cut off.
type underwayRecord struct{}

var underway = kv.NewTable[underwayRecord]("rununderway")

// Tables are the tables of this package, for the store's checker.
func Tables() []kv.Checker { return []kv.Checker{table, runs, underway} }

// place is what a secret of a task is sealed for.
func place(team, task, field string) string { return strings.Join([]string{team, task, field}, "\x00") }

const keyField = "apiKey"

func headerField(name string) string { return "header " + strings.ToLower(name) }

// Get returns a task.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.TaskRef) (api.Task, error) {
	r, err := s.read(ctx, who.Team, in.ID)
	if err != nil {
		return api.Task{}, err
	}
	return r.Task, nil
}

func (s *Service) read(ctx context.Context, team, id string) (r *record, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err = table.Get(tx, team, id)
		return err
	})
	return r, err
}

// List lists tasks in the order of their creation.
func (s *Service) List(ctx context.Context, who op.Caller, in api.TaskQuery) (page api.Page[api.Task], err error) {
	p := kv.Page[record]{Index: "all"}
	if in.AgentID != "" {
		p = kv.Page[record]{Index: "agent", Prefixes: [][]byte{kv.Key(in.AgentID)}}
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, table, who.Team, in.AgentID, in.PageQuery, p,
			func(_ string, r *record) (api.Task, error) { return r.Task, nil })
		return err
	})
	return page, err
}

// Runs lists runs in the order of their beginning.
func (s *Service) Runs(ctx context.Context, who op.Caller, in api.TaskRunQuery) (page api.Page[api.TaskRun], err error) {
	p := kv.Page[runRecord]{Index: "state"}
	for _, state := range []string{api.RunQueued, api.RunRunning, api.RunCompleted, api.RunFailed, api.RunCanceled} {
		if in.State == "" || in.State == state {
			p.Prefixes = append(p.Prefixes, kv.Key(state))
		}
	}
	if in.TaskID != "" {
		p = kv.Page[runRecord]{Index: "task", Prefixes: [][]byte{kv.Key(in.TaskID)}}
		p.Keep = func(r *runRecord) bool { return in.State == "" || r.Run.State == in.State }
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, runs, who.Team, in.TaskID+"\x00"+in.State, in.PageQuery, p,
			func(_ string, r *runRecord) (api.TaskRun, error) { return r.Run, nil })
		return err
	})
	return page, err
}

// GetRun returns a run.
func (s *Service) GetRun(ctx context.Context, who op.Caller, in api.TaskRunRef) (run api.TaskRun, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := runs.Get(tx, who.Team, in.ID)
		if err == nil {
			run = r.Run
		}
		return err
	})
	return run, err
}

package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// TasksService manages the tasks of agents and their runs.
type TasksService struct{ t *transport }

// List returns one page of tasks.
func (s *TasksService) List(ctx context.Context, q api.TaskQuery, options ...CallOption) (*api.Page[api.Task], error) {
	return do[api.Page[api.Task]](ctx, s.t, operation("tasks.list", "data"), q, options)
}

// All yields the tasks of every page.
func (s *TasksService) All(ctx context.Context, q api.TaskQuery, options ...CallOption) iter.Seq2[*api.Task, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Task], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Get returns a task. Its secrets are never in it.
func (s *TasksService) Get(ctx context.Context, id string, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "tasks.get", api.TaskRef{ID: id}, options)
}

// Create makes a task of an agent.
func (s *TasksService) Create(ctx context.Context, in api.TaskCreate, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "tasks.create", in, options)
}

// Update changes the members of a task that are set in patch.
func (s *TasksService) Update(ctx context.Context, id string, patch api.TaskPatch, options ...CallOption) (*api.Task, error) {
	patch.ID = id
	return s.one(ctx, "tasks.update", patch, options)
}

// Delete deletes a task and returns what it was.
func (s *TasksService) Delete(ctx context.Context, id string, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "tasks.delete", api.TaskRef{ID: id}, options)
}

// SetAPIKey stores the key that an API task sends to its endpoint. Nobody can
// read it afterwards.
func (s *TasksService) SetAPIKey(ctx context.Context, in api.TaskSetKey, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "tasks.setApiKey", in, options)
}

// ClearAPIKey forgets the key of an API task.
func (s *TasksService) ClearAPIKey(ctx context.Context, id string, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "tasks.clearApiKey", api.TaskRef{ID: id}, options)
}

func (s *TasksService) one(ctx context.Context, name string, in any, options []CallOption) (*api.Task, error) {
	return do[api.Task](ctx, s.t, operation(name, "id"), in, options)
}

// TestRun runs a task by hand and yields the run as it begins, a model's text as
// it is written, and the run as it ended. Leaving the loop early ends the run.
func (s *TasksService) TestRun(ctx context.Context, id string, in api.TaskTest) iter.Seq2[api.TaskEvent, error] {
	in.ID = id
	return subscribe[api.TaskEvent](ctx, s.t, "tasks.stream", in)
}

// Test runs a task as TestRun does, and returns when the run is done.
func (s *TasksService) Test(ctx context.Context, in api.TaskTest, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, operation("tasks.testRun", "id"), in, options)
}

// Runs returns one page of runs, newest first.
func (s *TasksService) Runs(ctx context.Context, q api.TaskRunQuery, options ...CallOption) (*api.Page[api.TaskRun], error) {
	return do[api.Page[api.TaskRun]](ctx, s.t, operation("tasks.runs", "data"), q, options)
}

// AllRuns yields the runs of every page.
func (s *TasksService) AllRuns(ctx context.Context, q api.TaskRunQuery, options ...CallOption) iter.Seq2[*api.TaskRun, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.TaskRun], error) {
		q.PageQuery = page
		return s.Runs(ctx, q, options...)
	})
}

// GetRun returns a run.
func (s *TasksService) GetRun(ctx context.Context, id string, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, operation("tasks.getRun", "id"), api.TaskRunRef{ID: id}, options)
}

// CancelRun stops a run that is not done.
func (s *TasksService) CancelRun(ctx context.Context, id string, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, operation("tasks.cancelRun", "id"), api.TaskRunRef{ID: id}, options)
}

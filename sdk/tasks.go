package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// TasksService manages the tasks of agents and their runs, in a member's session.
// A task's secrets are never in an answer.
type TasksService struct {
	Resource[api.Task, api.TaskCreate, api.TaskPatch, api.TaskQuery]
}

// SetAPIKey stores the key that an API task sends to its endpoint. Nobody can
// read it afterwards.
func (s *TasksService) SetAPIKey(ctx context.Context, in api.TaskSetKey, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "setApiKey", in, options)
}

// ClearAPIKey forgets the key of an API task.
func (s *TasksService) ClearAPIKey(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Task, error) {
	return s.one(ctx, "clearApiKey", ref, options)
}

// TestRun runs a task by hand and yields the run as it begins, a model's text as
// it is written, and the run as it ended. Leaving the loop early ends the run.
func (s *TasksService) TestRun(ctx context.Context, in api.TaskTest) iter.Seq2[api.TaskEvent, error] {
	return subscribe[api.TaskEvent](ctx, s.t, "tasks.stream", in)
}

// Test runs a task as TestRun does, and returns when the run is done.
func (s *TasksService) Test(ctx context.Context, in api.TaskTest, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, "tasks.testRun", in, options)
}

// Runs returns one page of runs, newest first.
func (s *TasksService) Runs(ctx context.Context, q api.TaskRunQuery, options ...CallOption) (*api.Page[api.TaskRun], error) {
	return do[api.Page[api.TaskRun]](ctx, s.t, "tasks.runs", q, options)
}

// AllRuns yields the runs of every page.
func (s *TasksService) AllRuns(ctx context.Context, q api.TaskRunQuery, options ...CallOption) iter.Seq2[*api.TaskRun, error] {
	return all[api.TaskRun](ctx, s.t, "tasks.runs", q, options)
}

// GetRun returns a run.
func (s *TasksService) GetRun(ctx context.Context, id string, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, "tasks.getRun", api.Ref{ID: id}, options)
}

// CancelRun stops a run that is not done.
func (s *TasksService) CancelRun(ctx context.Context, ref api.Ref, options ...CallOption) (*api.TaskRun, error) {
	return do[api.TaskRun](ctx, s.t, "tasks.cancelRun", ref, options)
}

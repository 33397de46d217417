package api

// The states of a generation job.
const (
	JobQueued    = "queued"
	JobRunning   = "running"
	JobCompleted = "completed"
	JobFailed    = "failed"
	JobCanceled  = "canceled"
)

// JobSkipped is the state of a step that needs what an earlier one did not make.
const JobSkipped = "skipped"

// Job is the generation of a post's parts.
type Job struct {
	ID          string    `json:"id"`
	PostID      string    `json:"postId"`
	Title       string    `json:"title,omitempty" doc:"Title that the post had when the job was asked for."`
	State       string    `json:"state" enum:"queued,running,completed,failed,canceled"`
	Progress    int       `json:"progress" doc:"0 to 100."`
	Steps       []JobStep `json:"steps"`
	Model       string    `json:"model"`
	Provider    string    `json:"provider" doc:"openai, anthropic, compatible or offline."`
	Attempt     int       `json:"attempt"`
	Usage       Usage     `json:"usage"`
	Error       *JobError `json:"error" null:"true"`
	Warnings    []string  `json:"warnings"`
	CreatedAt   Time      `json:"createdAt"`
	StartedAt   Time      `json:"startedAt" null:"true"`
	CompletedAt Time      `json:"completedAt" null:"true"`
	UpdatedAt   Time      `json:"updatedAt"`
	Version     int       `json:"version"`
}

// Done reports whether the job has reached a state that it does not leave by
// itself.
func (j *Job) Done() bool {
	return j.State == JobCompleted || j.State == JobFailed || j.State == JobCanceled
}

// JobStep is one part that is generated.
type JobStep struct {
	Name       string `json:"name" enum:"content,description,tags,image"`
	State      string `json:"state" enum:"queued,running,completed,failed,canceled,skipped"`
	StartedAt  Time   `json:"startedAt" null:"true"`
	FinishedAt Time   `json:"finishedAt" null:"true"`
	Warning    string `json:"warning,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Usage counts the tokens of a language model.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
}

// JobError says why a job failed.
type JobError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// JobRef names a job. Wait holds the answer back until the job is done.
type JobRef struct {
	ID   string `json:"id" form:"id" doc:"Id of the job."`
	Wait int    `json:"wait,omitempty" minimum:"0" maximum:"30" doc:"Seconds to wait for the job to be done before answering."`
}

// JobWatch names a job to follow live.
type JobWatch struct {
	ID          string `json:"id" form:"id" doc:"Id of the job."`
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100" doc:"The last id seen: what came before is not sent again."`
}

// JobFeed follows all jobs.
type JobFeed struct {
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100" doc:"The last id seen: what has not changed since is not sent again, but for the jobs that are not done."`
}

// JobQuery filters a list of jobs.
type JobQuery struct {
	PageQuery
	State  string `json:"state,omitempty" enum:"queued,running,completed,failed,canceled"`
	PostID string `json:"postId,omitempty" maxLength:"100"`
}

// JobEvent is one live message about a job, as a server-sent event named by
// Type: "job" carries the whole job, "delta" a piece of the text being written,
// "reset" takes back the deltas of a step that starts over.
type JobEvent struct {
	Type string `json:"type"`
	Job  *Job   `json:"job,omitempty"`
	Step string `json:"step,omitempty"`
	Text string `json:"text,omitempty"`
}

package api

import (
	"encoding/json"
	"net/http"
)

// Choice is the post or the job.
func (c PostCreated) Choice() any {
	if c.Job != nil {
		return c.Job
	}
	return c.Post
}

// MarshalJSON writes the post or the job.
func (c PostCreated) MarshalJSON() ([]byte, error) { return json.Marshal(c.Choice()) }

// UnmarshalJSON tells the two by the member jobId.
func (c *PostCreated) UnmarshalJSON(b []byte) error {
	var job JobStarted
	if err := json.Unmarshal(b, &job); err == nil && job.JobID != "" {
		*c = PostCreated{Job: &job}
		return nil
	}
	*c = PostCreated{Post: new(Post)}
	return json.Unmarshal(b, c.Post)
}

// HTTPStatus is 202 for a job, 201 for a post.
func (c PostCreated) HTTPStatus() int {
	if c.Job != nil {
		return http.StatusAccepted
	}
	return http.StatusCreated
}

// Location is the path of what was created, below the API's version prefix.
func (c PostCreated) Location() string {
	if c.Job != nil {
		return c.Job.Location()
	}
	return "/posts/" + c.Post.ID
}

// ETagVersion is the version of the created post; 0 for a job.
func (c PostCreated) ETagVersion() int {
	if c.Post != nil {
		return c.Post.Version
	}
	return 0
}

// HTTPStatus is always 202.
func (JobStarted) HTTPStatus() int { return http.StatusAccepted }

// Location is the path of the job, below the API's version prefix.
func (j JobStarted) Location() string { return "/posts/jobs/" + j.JobID }

// ETagVersion makes the post's version its ETag.
func (p Post) ETagVersion() int { return p.Version }

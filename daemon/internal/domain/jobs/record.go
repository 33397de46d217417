package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// The names of the steps, in the order in which they are done.
const (
	stepContent     = "content"
	stepDescription = "description"
	stepTags        = "tags"
	stepImage       = "image"
)

// record is a stored job. Its id is also that of its item in the queue.
type record struct {
	Job   api.Job   `json:"j"`
	Brief brief     `json:"b"`
	Base  base      `json:"o"`
	Actor api.Actor `json:"a"`
	// Source is the surface that the job was asked for on.
	Source string `json:"s"`
	// Done are the steps that a retry leaves out: the post has what they made.
	Done []api.JobStep `json:"d,omitempty"`
}

// brief is what the text should be like.
type brief struct {
	Prompt   string   `json:"p,omitempty"`
	Audience string   `json:"a,omitempty"`
	Tone     string   `json:"t,omitempty"`
	Length   string   `json:"l,omitempty"`
	Sources  []string `json:"s,omitempty"`
}

// base is what the post held when the job was asked for. What differs later was
// changed by somebody, and is not overwritten.
type base struct {
	Content     string   `json:"c,omitempty"` // hash
	Description string   `json:"d,omitempty"`
	Tags        []string `json:"t,omitempty"`
	Image       string   `json:"i,omitempty"` // URL
}

func baseOf(content, description string, tags []string, img *api.Image) base {
	b := base{Description: description, Tags: tags}
	if content != "" {
		sum := sha256.Sum256([]byte(content))
		b.Content = hex.EncodeToString(sum[:])
	}
	if img != nil {
		b.Image = img.URL
	}
	return b
}

var table = kv.NewTable("job",
	kv.Index[record]{Name: "state", Keys: func(r *record, add func([]byte)) { add(kv.Key(r.Job.State)) }},
	kv.Index[record]{Name: "post", Keys: func(r *record, add func([]byte)) { add(kv.Key(r.Job.PostID)) }},
)

// clone copies what a transaction that may run again changes.
func (r *record) clone() *record {
	c := *r
	c.Job.Steps = slices.Clone(r.Job.Steps)
	c.Job.Warnings = slices.Clone(r.Job.Warnings)
	return &c
}

// caller is who asked for the job, as its results are credited.
func (r *record) caller(team string) op.Caller {
	return op.Caller{Kind: op.System, Team: team, Actor: r.Actor, Source: r.Source}
}

func (r *record) step(name string) *api.JobStep {
	for i := range r.Job.Steps {
		if r.Job.Steps[i].Name == name {
			return &r.Job.Steps[i]
		}
	}
	return nil
}

// put stores the job and, once that is durable, tells those who watch it.
func (s *Service) put(tx kv.Tx, team string, r *record) error {
	r.Job.Version++
	r.Job.UpdatedAt = s.now()
	s.publish(tx, team, r)
	return table.Put(tx, team, r.Job.ID, r)
}

func (s *Service) publish(tx kv.Tx, team string, r *record) {
	job := r.clone().Job
	tx.OnCommit(func() { s.hub.publish(team, &job) })
}

package post

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

// batchSize is the most changes that the daemon takes at once.
const batchSize = 100

type batch struct {
	app   *kit.App
	write kit.WriteFlags
}

func newBatch(a *kit.App) *cobra.Command {
	o := &batch{app: a}
	cmd := &cobra.Command{
		Use: "batch FILE|-", Short: "Make many changes, a line of JSON each", Args: kit.Exactly("a file of changes, or - for standard input"),
		Long: "Each line is a change: {\"op\":\"publish\",\"id\":\"post_…\"}. op is create, patch, publish, unpublish, archive, unarchive or\n" +
			"delete; create and patch have a member of that name with what the post should say. A change that is refused stops\n" +
			"no other; the exit code is that of the first that was.",
		Example: "  svcctl post batch changes.jsonl\n" +
			"  svcctl post list --tag old --all --jq '.[] | {op: \"archive\", id}' | svcctl post batch -",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.Add(cmd)
	return cmd
}

func (o *batch) run(ctx context.Context, name string) error {
	items, err := o.read(name)
	if err != nil {
		return err
	}
	if o.write.Key != "" && len(items) > batchSize {
		return kit.Usage("--idempotency-key goes with %d changes at most, not %d", batchSize, len(items))
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	var done []outcome
	for some := range slices.Chunk(items, batchSize) {
		results, err := c.Posts.Batch(ctx, api.PostBatch{Items: some}, o.write.Options()...)
		if err != nil {
			o.app.IO.Say("%d of %s were sent before this failed", len(done), kit.Count(len(items), "change"))
			return err
		}
		for i, result := range results {
			done = append(done, outcome{Line: len(done) + 1, Op: some[i].Op, ID: some[i].ID, PostBatchOutcome: result})
		}
	}
	if err := kit.ShowList(o.app, kit.ListFlags{All: true}, outcomeView, kit.List(done)); err != nil {
		return err
	}
	return verdict(ctx, done)
}

// read reads the changes. A name that the API does not have is a mistake.
func (o *batch) read(name string) ([]api.PostBatchItem, error) {
	b, err := o.app.ReadInput(name)
	if err != nil {
		return nil, err
	}
	var items []api.PostBatchItem
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var item api.PostBatchItem
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&item); err != nil {
			return nil, &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: terminal.Line(fmt.Sprintf("%s line %d: %v", name, n, err)), Hint: "svcctl post batch --help"}
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return nil, kit.Usage("%s has no changes", name)
	}
	return items, nil
}

// outcome is what became of one change.
type outcome struct {
	Line int    `json:"line"`
	Op   string `json:"op"`
	ID   string `json:"id,omitempty"`
	api.PostBatchOutcome
}

var outcomeView = output.View[outcome]{
	ID: outcomeID,
	Columns: []output.Column[outcome]{
		kit.Number("line", func(o *outcome) int { return o.Line }),
		{Name: "change", Value: func(o *outcome) string { return o.Op }},
		{Name: "status", Value: func(o *outcome) string { return strconv.Itoa(o.Status) }},
		{Name: "post", Value: outcomeID},
		{Name: "outcome", Value: outcomeText, Flex: true},
	},
}

func outcomeID(o *outcome) string {
	switch {
	case o.Post != nil:
		return o.Post.ID
	case o.Job != nil:
		return o.Job.PostID
	}
	return o.ID
}

func outcomeText(o *outcome) string {
	switch {
	case o.Error != nil:
		return o.Error.Detail
	case o.Job != nil:
		return "written by " + o.Job.JobID
	case o.Post != nil:
		return o.Post.Slug + " " + o.Post.Status
	}
	return "done"
}

// verdict fails with the first change that was refused.
func verdict(ctx context.Context, done []outcome) error {
	refused := slices.DeleteFunc(slices.Clone(done), func(o outcome) bool { return o.Error == nil })
	if len(refused) == 0 {
		return nil
	}
	f := *kit.Explain(ctx, refused[0].Error)
	f.Message = fmt.Sprintf("%d of %s refused; line %d: %s", len(refused), kit.Count(len(done), "change"), refused[0].Line, f.Message)
	return &f
}

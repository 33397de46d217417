package writing

import (
	"context"
	"slices"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postsync"
)

// Import is an export, and how it is to become texts of the team.
type Import struct {
	Export  *postsync.Export
	Notes   []string // about the whole of it
	Sites   []string // addresses of the old site that a person named
	OnDrift string
	Jobs    int
	DryRun  bool
	Diff    bool
	Differs bool // exit 10 when anything differs
}

// Check refuses what an import cannot be asked for.
func (in *Import) Check() error {
	if !slices.Contains([]string{"fail", "theirs", "ours"}, in.OnDrift) {
		return kit.Usage("--on-drift is fail, theirs or ours, not %q", in.OnDrift)
	}
	if in.Jobs < 1 {
		return kit.Usage("--jobs must be 1 or more, not %d", in.Jobs)
	}
	return nil
}

// Import makes the team's texts say what an export says, as a sync does with the
// files of a folder.
func (o *Syncer) Import(ctx context.Context, in Import) error {
	o.unit, o.topic, o.extra = o.Noun, "import", in.Notes
	o.dryRun, o.diff, o.exitCode = in.DryRun, in.Diff, in.Differs
	o.opt = postsync.Options{Export: in.Export, Old: in.Sites, OnDrift: in.OnDrift, Jobs: in.Jobs}
	return o.once(ctx)
}

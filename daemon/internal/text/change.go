package text

import (
	"slices"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Change is how a text differs from what it was.
type Change[T any] struct {
	Before, After *T
	Previous      map[string]any // earlier values by member, without the content
	Rewritten     bool           // the content differs

	kind *Kind[T]
}

// Compare finds how a text differs from what it was, with everything in place
// that follows from the change but its version.
func (k *Kind[T]) Compare(before, after *T) *Change[T] {
	return &Change[T]{
		Before: before, After: after, kind: k, Previous: k.differ.Changed(before, after),
		Rewritten: *k.Fields(before).Content != *k.Fields(after).Content,
	}
}

// None reports that nothing differs: the version stays and nothing is told.
func (c *Change[T]) None() bool { return len(c.Previous) == 0 && !c.Rewritten }

// Next makes the text its next version. What it said before becomes a revision
// where that differs, and a public address that it leaves is kept. A step on the
// way to less may use what a full store keeps back.
func (c *Change[T]) Next(tx kv.Tx, who op.Caller, now api.Time, kept *Kept) error {
	was, is := c.kind.Fields(c.Before), c.kind.Fields(c.After)
	*is.Version, *is.UpdatedAt = *was.Version+1, now
	if c.lessens() {
		kv.UseReserve(tx)
	}
	if c.Rewritten {
		kept.Active = safehtml.Active(*is.Content)
	}
	if err := c.kind.Addresses.leave(tx, who.Team, was, is); err != nil {
		return err
	}
	if err := c.kind.Addresses.Claim(tx, who.Team, *is.ID, *was.Aliases, *is.Aliases); err != nil {
		return err
	}
	if !c.says() {
		return nil
	}
	earlier := revision.Text{Of: *was.ID, Number: *was.Version, Title: *was.Title, Tags: *was.Tags, Editor: kept.Editor, At: *was.UpdatedAt}
	if was.Description != nil {
		earlier.Description = *was.Description
	}
	kept.Editor = who.Actor.ID
	return c.kind.Revisions.Keep(tx, who.Team, earlier, *was.Content, &kept.Revisions)
}

// lessens reports a change to a shorter content, or towards a status that a text
// is deleted from.
func (c *Change[T]) lessens() bool {
	was, is := c.kind.Fields(c.Before), c.kind.Fields(c.After)
	return len(*is.Content) < len(*was.Content) ||
		*is.Status != *was.Status && (*is.Status == Archived || *was.Status == Published)
}

// says reports that the text says something else.
func (c *Change[T]) says() bool {
	return c.Rewritten || slices.ContainsFunc([]string{"title", "description", "tags"}, func(name string) bool {
		_, differs := c.Previous[name]
		return differs
	})
}

// Events say what a change was; what no other event tells of is an update. cause
// is told in place of an update, nil for none; more are told after the status.
func (c *Change[T]) Events(cause *event.Kind[T], more ...event.Kind[T]) []event.Kind[T] {
	var kinds []event.Kind[T]
	if cause != nil {
		kinds = append(kinds, *cause)
	} else if c.edited() {
		kinds = append(kinds, c.kind.Updated)
	}
	kinds = append(append(kinds, c.kind.Status.Events(c.Before, c.After)...), more...)
	if len(kinds) == 0 {
		kinds = append(kinds, c.kind.Updated)
	}
	return kinds
}

// edited reports a change of anything but the status and its times.
func (c *Change[T]) edited() bool {
	for name := range c.Previous {
		if name != "status" && !slices.Contains(c.kind.Times, name) {
			return true
		}
	}
	return c.Rewritten
}

package writing

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
)

// Restore makes the revision n of a text the current one.
type Restore[T any] func(ctx context.Context, c *sdk.Client, id string, n int, options ...sdk.CallOption) (*T, error)

// BrowseRestore is the verb of a screen of revisions that makes one current.
func (t *Texts[T]) BrowseRestore(a *kit.App, restore Restore[T]) browse.Verb {
	doc := "Make it the current text of the " + t.Kind + "; that one is kept as a revision"
	return browse.Verb{Key: "u", Name: "use", Doc: doc, Do: func(ctx context.Context, row *browse.Row) (string, error) {
		n, err := strconv.Atoi(row.ID)
		if err != nil {
			return "", err
		}
		c, err := a.Client()
		if err != nil {
			return "", err
		}
		id, err := t.FindID(ctx, c, row.Of)
		if err != nil {
			return "", err
		}
		_, err = restore(ctx, c, id, n)
		return "restored revision " + row.ID, err
	}}
}

// NewRestore is the verb revision restore.
func (t *Texts[T]) NewRestore(a *kit.App, restore Restore[T]) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "restore " + argument(t.Kind) + " NUMBER", Short: "Make an earlier text of a " + t.Kind + " the present one", Args: kit.Exactly(t.wanted(), "the revision's number"),
		Long:    "Keeps the current text as a revision, and makes the earlier one current.",
		Example: "  svcctl " + t.Noun + " revision restore why-go 3",
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 1 {
				return kit.Usage("a revision has a number such as 3, not %q; svcctl %s revision list %s", args[1], t.Noun, args[0])
			}
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			id, err := t.FindID(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			v, err := restore(cmd.Context(), c, id, n, w.Options()...)
			if err != nil {
				return err
			}
			p := t.Post(v)
			a.IO.Say("restored revision %d of %s (version %d)", n, p.Slug, p.Version)
			return t.Result(a, v)
		},
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, t.Slugs)
	return cmd
}

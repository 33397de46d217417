package writing

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
)

// NewRestore is the verb revision restore of a noun: an earlier text becomes the
// present one.
func NewRestore(a *kit.App, noun, kind, wanted string, names kit.Names, restore func(ctx context.Context, c *sdk.Client, ref string, n int, options []sdk.CallOption) error) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "restore " + argument(kind) + " NUMBER", Short: "Make an earlier text of a " + kind + " the present one", Args: kit.Exactly(wanted, "the revision's number"),
		Long:    "Keeps the current text as a revision, and makes the earlier one current.",
		Example: "  svcctl " + noun + " revision restore why-go 3",
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 1 {
				return kit.Usage("a revision has a number such as 3, not %q; svcctl %s revision list %s", args[1], noun, args[0])
			}
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			return restore(cmd.Context(), c, args[0], n, w.Options())
		},
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, names)
	return cmd
}

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/sdk/api"
)

func linkCommand(c console) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "link --email ADDRESS", Short: "Print a sign-in link for a member, who may then set another password", Args: cobra.NoArgs,
		Long:    "Prints a sign-in link for a member who cannot sign in. It works once, for three days, and takes the place of the one before. A running daemon makes it, with the address that it serves.",
		Example: "  svcd link --email ann@acme.test --data /var/lib/svc",
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the member")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if email == "" {
			return errors.New("say whom the link is for: --email ADDRESS")
		}
		cfg, err := daemon.Load(cmd.Flags(), c.lookup)
		if err != nil {
			return err
		}
		if _, err := os.Stat(daemon.DataFile(cfg.Data)); err != nil {
			return fmt.Errorf("%s holds no data: %w", cfg.Data, daemon.Reason(err))
		}
		made, err := makeLink(cmd.Context(), cfg, email)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(c.out).Encode(made)
		}
		_, err = fmt.Fprintf(c.out, "sign-in link  %s\n\nIt works once, until %s: svcctl login '%s'\n",
			string(made.Link), made.Expire, string(made.Link))
		return err
	}
	return cmd
}

// makeLink has the running daemon make the link, or opens the data of a stopped
// one: the link is then to the address that the configuration says.
func makeLink(ctx context.Context, cfg *daemon.Config, email string) (made api.MemberInvited, err error) {
	if daemon.Running(cfg.Data) {
		return daemon.AskLink(ctx, cfg.Data, email)
	}
	d, err := daemon.Open(cfg)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.SetBase(listenAddr(cfg.Listen))
	return d.NewLink(ctx, email)
}

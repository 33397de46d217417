package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
)

func linkCommand(c console) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "link --email ADDRESS", Short: "Print a sign-in link for a member, who may then set another password", Args: cobra.NoArgs,
		Long:    "Prints a sign-in link for a member who cannot sign in. It works once, for three days, and takes the place of the one before. The daemon must be stopped.",
		Example: "  svcd link --email ann@acme.test --data /var/lib/svc",
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the member")
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
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
		d, err := daemon.Open(cfg)
		if err != nil {
			return fmt.Errorf("%w (a running daemon has to be stopped first)", err)
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		d.SetBase(listenAddr(cfg.Listen))
		made, err := d.NewLink(cmd.Context(), email)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(c.out).Encode(made)
		}
		_, err = fmt.Fprintf(c.out, "sign-in link  %s\n\nIt works once, until %s. Start the daemon with svcd serve, then: svcctl login '%s'\n",
			made.Link, made.Expire, made.Link)
		return err
	}
	return cmd
}

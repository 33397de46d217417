package command

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
)

func initCommand(c console) *cobra.Command {
	var asJSON bool
	var name, slug, email string
	cmd := &cobra.Command{
		Use: "init", Short: "Make a team, its owner, a key and a sign-in link, without serving", Args: cobra.NoArgs,
		Long: "Makes the first team of an empty data folder. With --another it adds one to a folder that has some.",
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "team", "My team", "name of the team")
	flags.StringVar(&slug, "slug", "blog", "path prefix of the team's public pages")
	flags.StringVar(&email, "email", "owner@localhost", "e-mail address of the owner")
	another := flags.Bool("another", false, "add a team to those that exist")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		cfg, err := daemon.Load(cmd.Flags(), c.lookup)
		if err != nil {
			return err
		}
		d, err := daemon.Open(cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		d.SetBase(listenAddr(cfg.Listen))
		empty, err := d.Empty(cmd.Context())
		if err != nil {
			return err
		}
		if !empty && !*another {
			return fmt.Errorf("%s has a team already; use --another to add one, or svcctl to work with it", cfg.Data)
		}
		out, err := d.Bootstrap(cmd.Context(), name, slug, email)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(c.out).Encode(out)
		}
		_, err = fmt.Fprintf(c.out, "team          %s (%s)\nAPI key       %s\nsign-in link  %s\n\nThe key and the link are shown once. Start the daemon with svcd serve, then: svcctl login '%s'\n",
			out.TeamSlug, out.TeamID, out.Key, out.SignInLink, out.SignInLink)
		return err
	}
	return cmd
}

// listenAddr is an address that is not listened on yet.
type listenAddr string

func (listenAddr) Network() string  { return "tcp" }
func (a listenAddr) String() string { return string(a) }

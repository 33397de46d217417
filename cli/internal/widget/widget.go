// Package widget is svcctl widget: the chat on a team's websites.
package widget

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var noun = crud.Noun[api.Site, api.SiteCreate, api.SitePatch, api.PageQuery]{
	Name: "widget", Aliases: []string{"widgets"}, Kind: "site", Short: "The chat on your websites (needs a session)",
	Example: "Shop", Prefix: "site_", By: "name",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.Site, api.SiteCreate, api.SitePatch, api.PageQuery] {
		return c.Sites
	}),
	Columns: crud.Columns[api.Site]("id name~ origins=allowedOrigins color identity +consent=requireConsent +locale +greeting +created=createdAt"),
	Flags:   map[string]string{"allowedOrigins": "origin", "requireConsent": "consent"},
	Help: map[string]string{
		"name": "what the site is called", "allowedOrigins": "where its pages are, such as https://www.acme.example", "color": "#rrggbb", "greeting": "what visitors read first",
		"locale": "language, whatever the page's is", "identity": "whether the site proves who visitors are", "requireConsent": "store and connect nothing before the visitor agrees",
	},
}

// Browse is the websites with a chat for a screen.
func Browse(a *kit.App) browse.Noun {
	return noun.Browse(a, crud.Screen[api.Site]{Members: true, Changed: "site."})
}

// New is the command widget.
func New(a *kit.App) *cobra.Command {
	return noun.Command(a,
		kit.Group("config", "How a site's chat looks and behaves", nil, newGet(a), newSet(a)),
		newSnippet(a),
		kit.Group("origin", "The pages that may show a site's chat", []string{"origins"}, newOrigin(a, true), newOrigin(a, false)),
		kit.Group("secret", "The secret that proves who visitors are", nil, newRotate(a)),
		newTry(a), newOpen(a))
}

// onSite is a command about one site: --site names it where the team has more.
type onSite struct {
	app   *kit.App
	ref   string
	write kit.WriteFlags
}

func (o *onSite) add(cmd *cobra.Command) *cobra.Command {
	noun.Lookup("site", "id or name of the site, where the team has more than one").Add(o.app, cmd, &o.ref)
	return cmd
}

// addWrite is add for a verb that changes something.
func (o *onSite) addWrite(cmd *cobra.Command) *cobra.Command {
	o.write.Add(cmd)
	return o.add(cmd)
}

// find returns the site that is meant, and the session to go on with.
func (o *onSite) find(ctx context.Context) (*sdk.Client, *api.Site, error) {
	d, err := o.app.MemberWriter(o.write)
	if err != nil {
		return nil, nil, err
	}
	var all, found []*api.Site
	for s, err := range d.Sites.All(kit.Reading(ctx), api.PageQuery{}) {
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
		if o.ref == "" || s.ID == o.ref || strings.EqualFold(s.Name, o.ref) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return d, found[0], nil
	case len(all) == 0:
		return nil, nil, &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: "the team has no site yet",
			Hint: "svcctl widget create --name Shop --origin https://www.acme.example"}
	case len(found) == 0:
		return nil, nil, &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: fmt.Sprintf("there is no site %q", o.ref), Hint: "svcctl widget list"}
	}
	return nil, nil, kit.Usage("--site is needed: %d sites are meant. See svcctl widget list", len(found))
}

func newGet(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	return o.add(&cobra.Command{
		Use: "get", Short: "Show a site", Aliases: []string{"show"}, Args: kit.Exactly(),
		Example: "  svcctl widget config get",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			return kit.ShowOne(a, noun.View(), site)
		},
	})
}

func newSet(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	cmd := noun.NewUpdateOf(a, "set", "Change a site; an empty value resets", func(ctx context.Context, w kit.WriteFlags) (string, error) {
		o.write = w
		_, site, err := o.find(ctx)
		if err != nil {
			return "", err
		}
		return site.ID, nil
	})
	cmd.Example = "  svcctl widget config set --greeting 'Hi! How can we help?' --color '#7c3aed'"
	return o.add(cmd)
}

// change patches the site as it was read, unless it has changed since.
func (o *onSite) change(ctx context.Context, patch func(*api.Site) (api.SitePatch, error)) error {
	d, site, err := o.find(ctx)
	if err != nil {
		return err
	}
	p, err := patch(site)
	if err != nil {
		return err
	}
	p.SiteRef = api.SiteRef{ID: site.ID, IfMatch: site.Version}
	if site, err = d.Sites.Update(ctx, p, o.write.Options()...); err != nil {
		return err
	}
	return kit.ShowOne(o.app, noun.View(), site)
}

func newOrigin(a *kit.App, add bool) *cobra.Command {
	o := &onSite{app: a}
	use, short := "add URL", "Let the pages of an origin show the chat"
	if !add {
		use, short = "remove URL", "No longer let the pages of an origin show the chat"
	}
	return o.addWrite(&cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("an origin such as https://www.acme.example"),
		Example: "  svcctl widget origin " + strings.ReplaceAll(use, "URL", "https://www.acme.example"),
		RunE: func(cmd *cobra.Command, args []string) error {
			origin := strings.TrimSuffix(args[0], "/")
			return o.change(cmd.Context(), func(s *api.Site) (p api.SitePatch, err error) {
				list := slices.DeleteFunc(slices.Clone(s.AllowedOrigins), func(have string) bool { return strings.EqualFold(have, origin) })
				if !add && len(list) == len(s.AllowedOrigins) {
					return p, &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: origin + " is not among the site's origins", Hint: "svcctl widget config get"}
				}
				if add {
					list = append(list, origin)
				}
				p.AllowedOrigins = api.Some(list)
				return p, nil
			})
		},
	})
}

func newSnippet(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	var nonce string
	cmd := o.add(&cobra.Command{
		Use: "snippet", Short: "Print the markup to paste into the site's pages", Args: kit.Exactly(),
		Example: "  svcctl widget snippet --nonce '{{ .CSPNonce }}'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			s, err := d.Sites.InstallSnippet(cmd.Context(), api.SiteInstall{ID: site.ID, Nonce: nonce})
			if err != nil {
				return err
			}
			if len(site.AllowedOrigins) == 0 {
				a.IO.Say("the site has no origin yet, so that it shows nowhere: svcctl widget origin add https://www.acme.example")
			}
			return a.PrintText(s.HTML)
		},
	})
	cmd.Flags().StringVar(&nonce, "nonce", "", "nonce of the page's policy, or your template's expression for it")
	return cmd
}

func newRotate(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	return o.addWrite(&cobra.Command{
		Use: "rotate", Short: "Give a site a new signing secret and show it once", Args: kit.Exactly(),
		Example: "  svcctl widget secret rotate",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			if site.Secret.Set && !o.write.DryRun {
				if err := a.Confirm("ending the secret …"+site.Secret.Last4+" of "+site.Name, site.Name); err != nil {
					return err
				}
			}
			rolled, err := d.Sites.RotateSecret(cmd.Context(), api.SiteRef{ID: site.ID}, o.write.Options()...)
			if err != nil {
				return err
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if p.Structured() {
				return p.Value(rolled)
			}
			a.IO.Say("%s · shown once, so keep it now:", site.ID)
			return a.PrintText(string(rolled.Secret) + "\n")
		},
	})
}

func newOpen(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	return o.add(&cobra.Command{
		Use: "open", Short: "Open the demo page with the site's chat in the browser", Args: kit.Exactly(),
		Example: "  svcctl widget open",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			if !slices.Contains(site.AllowedOrigins, a.Settings.URL) {
				a.IO.Say("the demo page shows the chat once its origin is allowed: svcctl widget origin add %s --site %s", a.Settings.URL, site.ID)
			}
			return a.Open(a.Settings.URL + "/widget/demo?site=" + url.QueryEscape(site.ID))
		},
	})
}

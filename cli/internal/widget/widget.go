// Package widget is svcctl widget: the chat on a team's websites.
package widget

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var siteView = output.View[api.Site]{
	ID: func(s *api.Site) string { return s.ID },
	Columns: []output.Column[api.Site]{
		{Name: "id", Value: func(s *api.Site) string { return s.ID }},
		{Name: "name", Value: func(s *api.Site) string { return s.Name }, Flex: true},
		{Name: "origins", Value: func(s *api.Site) string { return strings.Join(s.AllowedOrigins, " ") }},
		{Name: "color", Value: func(s *api.Site) string { return s.Color }},
		{Name: "identity", Value: func(s *api.Site) string { return s.Identity }},
		{Name: "consent", Value: func(s *api.Site) string { return yesNo(s.RequireConsent) }, Wide: true},
		{Name: "locale", Value: func(s *api.Site) string { return s.Locale }, Wide: true},
		{Name: "greeting", Value: func(s *api.Site) string { return s.Greeting }, Wide: true},
		kit.Wide(kit.When("created", func(s *api.Site) api.Time { return s.CreatedAt })),
	},
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// New is the command widget.
func New(a *kit.App) *cobra.Command {
	return kit.Group("widget", "The chat on your websites (needs a session)", []string{"widgets", "site", "sites"},
		newList(a), newCreate(a),
		kit.Group("config", "How a site's chat looks and behaves", nil, newGet(a), newSet(a)),
		newSnippet(a),
		kit.Group("origin", "The pages that may show a site's chat", []string{"origins"}, newOrigin(a, true), newOrigin(a, false)),
		kit.Group("secret", "The secret that proves who visitors are", nil, newRotate(a)),
		newTry(a), newOpen(a))
}

// onSite is a command about one site: --site names it where the team has more.
type onSite struct {
	app *kit.App
	ref string
}

func (o *onSite) add(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&o.ref, "site", "", "id or name of the site, where the team has more than one")
	return cmd
}

// find returns the site that is meant, and the session to go on with.
func (o *onSite) find(ctx context.Context) (*sdk.Client, *api.Site, error) {
	d, err := o.app.Dashboard()
	if err != nil {
		return nil, nil, err
	}
	var all, found []*api.Site
	for s, err := range d.Sites.All(ctx, api.PageQuery{}) {
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

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the sites", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, siteView, d.Sites.All(cmd.Context(), l.Page()))
		},
	}
	l.Add(cmd)
	return cmd
}

func newCreate(a *kit.App) *cobra.Command {
	var in api.SiteCreate
	cmd := &cobra.Command{
		Use: "create", Short: "Add a site", Args: kit.Exactly(),
		Example: "  svcctl widget create --name Shop --origin https://www.acme.example --color '#0f766e'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if in.Name == "" {
				return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a site needs --name", Hint: "svcctl widget create --name Shop --origin https://www.acme.example"}
			}
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			site, err := d.Sites.Create(cmd.Context(), in)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, siteView, site)
		},
	}
	f := cmd.Flags()
	f.StringVar(&in.Name, "name", "", "what the site is called")
	f.StringArrayVar(&in.AllowedOrigins, "origin", nil, "where its pages are, such as https://www.acme.example; may be repeated")
	look(cmd, &in.Color, &in.Greeting, &in.Locale, &in.Identity, &in.RequireConsent)
	return cmd
}

func look(cmd *cobra.Command, color, greeting, locale, identity *string, consent *bool) {
	f := cmd.Flags()
	f.StringVar(color, "color", "", "#rrggbb")
	f.StringVar(greeting, "greeting", "", "what visitors read first")
	f.StringVar(locale, "locale", "", "language, whatever the page's is")
	f.StringVar(identity, "identity", "", "whether the site proves who visitors are: off, optional or required")
	f.BoolVar(consent, "consent", false, "store and connect nothing before the visitor agrees")
}

func newGet(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	return o.add(&cobra.Command{
		Use: "get", Short: "Show a site", Aliases: []string{"show"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			return kit.ShowOne(a, siteView, site)
		},
	})
}

func newSet(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	var in api.SiteCreate
	cmd := o.add(&cobra.Command{
		Use: "set", Short: "Change a site; an empty value resets", Args: kit.Exactly(),
		Example: "  svcctl widget config set --greeting 'Hi! How can we help?' --color '#7c3aed'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := api.SitePatch{}
			for name, set := range map[string]func(){
				"name":     func() { p.Name = api.Some(in.Name) },
				"color":    func() { p.Color = someText(in.Color) },
				"greeting": func() { p.Greeting = someText(in.Greeting) },
				"locale":   func() { p.Locale = someText(in.Locale) },
				"identity": func() { p.Identity = api.Some(in.Identity) },
				"consent":  func() { p.RequireConsent = api.Some(in.RequireConsent) },
			} {
				if cmd.Flags().Changed(name) {
					set()
				}
			}
			return o.change(cmd.Context(), func(*api.Site) (api.SitePatch, error) { return p, nil })
		},
	})
	cmd.Flags().StringVar(&in.Name, "name", "", "what the site is called")
	look(cmd, &in.Color, &in.Greeting, &in.Locale, &in.Identity, &in.RequireConsent)
	return cmd
}

// someText is a member to set; empty resets it.
func someText(s string) api.Opt[string] {
	if s == "" {
		return api.Null[string]()
	}
	return api.Some(s)
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
	if site, err = d.Sites.Update(ctx, p); err != nil {
		return err
	}
	return kit.ShowOne(o.app, siteView, site)
}

func newOrigin(a *kit.App, add bool) *cobra.Command {
	o := &onSite{app: a}
	use, short := "add URL", "Let the pages of an origin show the chat"
	if !add {
		use, short = "remove URL", "No longer let the pages of an origin show the chat"
	}
	return o.add(&cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("an origin such as https://www.acme.example"),
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
	return o.add(&cobra.Command{
		Use: "rotate", Short: "Give a site a new signing secret and show it once", Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			if site.Secret.Set {
				if err := a.Confirm("ending the secret …"+site.Secret.Last4+" of "+site.Name, site.Name); err != nil {
					return err
				}
			}
			rolled, err := d.Sites.RotateSecret(cmd.Context(), api.SiteRef{ID: site.ID})
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
			return a.PrintText(rolled.Secret + "\n")
		},
	})
}

func newOpen(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	return o.add(&cobra.Command{
		Use: "open", Short: "Open the demo page with the site's chat in the browser", Args: kit.Exactly(),
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

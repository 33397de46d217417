package team

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

var (
	patchSite  = resource.Copier[api.PublicSite, api.PublicSitePatch]()
	siteDiffer = resource.NewDiffer[api.PublicSite]()
)

// GetSite returns how the public pages of the caller's team look.
func (s *Service) GetSite(ctx context.Context, who op.Caller, _ api.None) (out api.PublicSite, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		t, err := roster.Teams.Get(tx, "", who.Team)
		if err == nil {
			out = s.showSite(t)
		}
		return err
	})
	return out, err
}

// UpdateSite changes what the input names.
func (s *Service) UpdateSite(ctx context.Context, who op.Caller, in api.PublicSitePatch) (api.PublicSite, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.PublicSite, error) {
		t, err := roster.Teams.Get(tx, "", who.Team)
		if err != nil {
			return api.PublicSite{}, err
		}
		before := s.showSite(t)
		if err := op.CheckVersion(in.IfMatch, before.Version); err != nil {
			return api.PublicSite{}, err
		}
		after := before
		patchSite(&after, &in)
		if err := checkSite(&after); err != nil {
			return before, err
		}
		if in.Chat.Set || in.ChatSiteID.Set || in.ChatSiteID.Null {
			if err := s.placeChat(tx, &who, t.Slug, &after); err != nil {
				return before, err
			}
		}
		if len(siteDiffer.Changed(&before, &after)) == 0 {
			return before, nil
		}
		after.Version, after.UpdatedAt = before.Version+1, s.now()
		_, err = s.change(tx, &who, "site.update", func(t *roster.Team) detail {
			t.Site = after
			t.Site.URL = ""
			return nil
		})
		return after, err
	})
}

// showSite is the settings as they are answered.
func (s *Service) showSite(t *roster.Team) api.PublicSite {
	site := t.Site
	if at := s.Addresses(t.Slug); len(at) > 0 {
		site.URL = at[0]
	}
	if site.Chat == "" {
		site.Chat = api.ChatOff
	}
	site.Navigation = append([]api.NavLink{}, site.Navigation...)
	site.Version = max(site.Version, 1)
	return site
}

// checkSite brings settings into the form in which they are kept, and refuses
// what the contract's tags cannot say.
func checkSite(v *api.PublicSite) error {
	var f field.Failures
	f.Line("/title", &v.Title)
	f.Line("/tagline", &v.Tagline)
	checkPicture(&f, "/logoUrl", &v.LogoURL)
	checkPicture(&f, "/iconUrl", &v.IconURL)
	v.Navigation = slices.Clone(v.Navigation)
	for i := range v.Navigation {
		checkLink(&f, "/navigation/"+strconv.Itoa(i), &v.Navigation[i])
	}
	return f.Err()
}

// placeChat finds the site whose chat the pages carry.
func (s *Service) placeChat(tx kv.Tx, who *op.Caller, slug string, v *api.PublicSite) (err error) {
	if v.Chat == api.ChatOff {
		v.ChatSiteID = ""
		return nil
	}
	v.ChatSiteID, err = s.CarryChat(tx, who, v.ChatSiteID, s.Addresses(slug))
	return err
}

// checkPicture takes addresses that the pages' policy lets a browser load.
func checkPicture(f *field.Failures, at string, address *string) {
	f.Line(at, address)
	u, err := url.Parse(*address)
	switch {
	case *address == "", err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil:
	case err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(*address, "/media/"):
	default:
		f.Add(at, "format", "must be an https address, or /media/… of an uploaded file")
	}
}

func checkLink(f *field.Failures, at string, link *api.NavLink) {
	f.Title(at+"/label", &link.Label)
	f.Line(at+"/url", &link.URL)
	u, err := url.Parse(link.URL)
	switch {
	case err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil:
	case err == nil && u.Scheme == "mailto" && u.Opaque != "":
	case err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(link.URL, "/") && !strings.Contains(link.URL, `\`):
	default:
		f.Add(at+"/url", "format", "must be an http, https or mailto address, or a path of the pages such as /help")
	}
}

// Publication returns the team whose public pages are below slug, with their
// settings, or a *kv.NotFoundError.
func (s *Service) Publication(ctx context.Context, slug string) (team api.Team, site api.PublicSite, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		id, t, err := roster.Teams.Find(tx, "", "slug", kv.Key(slug))
		if err == nil {
			team, site = t.Show(id), s.showSite(t)
		}
		return err
	})
	return team, site, err
}

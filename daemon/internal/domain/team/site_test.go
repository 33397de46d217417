package team_test

import (
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func TestPublicSite(t *testing.T) {
	w := teamtest.New(t)
	owner, other := w.Enter(w.Found("a").LinkToken), w.Enter(w.Found("b").LinkToken)
	first := optest.Must[api.PublicSite](w.As(owner), "site.get", api.None{})
	if first.URL != "https://svc.example/a/" || first.Chat != api.ChatOff || first.Version != 1 || first.Navigation == nil {
		t.Fatalf("%+v", first)
	}
	links := []map[string]any{{"label": " Docs ", "url": "https://docs.example/"}, {"label": "Help", "url": "/help"}, {"label": "Mail", "url": "mailto:a@b.example"}}
	patch := map[string]any{"title": " News ", "accentColor": "#0f766e", "logoUrl": "/media/m_1.png", "iconUrl": "https://x.example/i.png", "navigation": links, "ifMatch": 1}
	got := optest.Must[api.PublicSite](w.As(owner), "site.update", patch)
	if got.Title != "News" || got.Version != 2 || got.Navigation[0].Label != "Docs" || len(got.Navigation) != 3 || got.URL != first.URL {
		t.Fatalf("%+v", got)
	}
	delete(patch, "ifMatch")
	if again := optest.Must[api.PublicSite](w.As(owner), "site.update", patch); again.Version != 2 {
		t.Errorf("an update that changes nothing is a version: %+v", again)
	}
	w.As(owner).Refused(api.CodeVersionConflict, "site.update", map[string]any{"title": "x", "ifMatch": 1})
	if kept := optest.Must[api.PublicSite](w.As(owner), "site.update", map[string]any{"title": nil}); kept.Title != "" || kept.AccentColor != "#0f766e" || len(kept.Navigation) != 3 {
		t.Errorf("%+v", kept)
	}
	if theirs := optest.Must[api.PublicSite](w.As(other), "site.get", api.None{}); theirs.Version != 1 || theirs.AccentColor != "" {
		t.Errorf("the other team's: %+v", theirs)
	}
	w.As(w.Invite(owner, "v@a.example", "viewer")).Refused(api.CodeInsufficientScope, "site.update", map[string]any{"title": "x"})
}

// What a browser would not load or should not follow is refused, all at once.
func TestPublicSiteRefuses(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	e := w.As(owner).Refused(api.CodeValidationFailed, "site.update", map[string]any{
		"tagline": "a\nb", "logoUrl": "javascript:alert(1)", "iconUrl": "http://x.example/i.png",
		"navigation": []map[string]any{{"label": " ", "url": "//evil.example"}, {"label": "x", "url": "javascript:alert(1)"}, {"label": "y", "url": `/\evil.example`}},
	})
	var at []string
	for _, f := range e.Errors {
		at = append(at, f.Pointer)
	}
	want := strings.Fields("/tagline /logoUrl /iconUrl /navigation/0/label /navigation/0/url /navigation/1/url /navigation/2/url")
	if !slices.Equal(at, want) {
		t.Errorf("refuses %q, want %q", at, want)
	}
	w.As(owner).Refused(api.CodeValidationFailed, "site.update", map[string]any{"accentColor": "red"})
	w.As(owner).Refused(api.CodeNotFound, "site.update", map[string]any{"chat": "help", "chatSiteId": "site_none"})
}

// The pages' origin joins those of the site whose chat they carry; another team's
// site is not there.
func TestPublicSiteChat(t *testing.T) {
	w := teamtest.New(t)
	owner, other := w.Enter(w.Found("a").LinkToken), w.Enter(w.Found("b").LinkToken)
	shop := optest.Must[api.Site](w.As(owner), "sites.create", api.SiteCreate{Name: "Shop", AllowedOrigins: []string{"https://shop.example"}})
	w.As(other).Refused(api.CodeNotFound, "site.update", map[string]any{"chat": "help", "chatSiteId": shop.ID})
	for range 2 {
		got := optest.Must[api.PublicSite](w.As(owner), "site.update", map[string]any{"chat": "help", "chatSiteId": shop.ID})
		if got.Chat != api.ChatHelp || got.ChatSiteID != shop.ID {
			t.Fatalf("%+v", got)
		}
		at := optest.Must[api.Site](w.As(owner), "sites.get", api.SiteGet{ID: shop.ID})
		if !slices.Equal(at.AllowedOrigins, []string{"https://shop.example", "https://svc.example"}) {
			t.Errorf("%q", at.AllowedOrigins)
		}
	}
	if off := optest.Must[api.PublicSite](w.As(owner), "site.update", map[string]any{"chat": "off"}); off.ChatSiteID != "" {
		t.Errorf("%+v", off)
	}
}

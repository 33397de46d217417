package sites

import (
	"context"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	// maxSites is how many sites a team may have.
	maxSites = 50

	defaultColor = "#2563eb"
	identityOff  = "off"
)

// site is the record behind api.Site.
type site struct {
	ID       string   `json:"-"`
	Name     string   `json:"n"`
	Origins  []string `json:"o,omitempty"`
	Color    string   `json:"c"`
	Greeting string   `json:"g,omitempty"`
	Locale   string   `json:"l,omitempty"`
	Consent  bool     `json:"rc,omitempty"`
	Identity string   `json:"i"`
	Secret   []byte   `json:"s,omitempty"`  // sealed
	Rotated  int      `json:"sv,omitempty"` // version of the secret; 0 is one from before the forms of proof had keys of their own
	Form     string   `json:"f,omitempty"`  // the form of proof that a secret of version 0 signs itself
	Last4    string   `json:"s4,omitempty"`
	Version  int      `json:"v"`
	Created  api.Time `json:"cr"`
	Updated  api.Time `json:"u"`
}

// owner says whose a site is. A browser that names a site knows no team, so
// that owners are the daemon's ("").
type owner struct {
	Team string `json:"t"`
}

var (
	sites = kv.NewTable("site", kv.Index[site]{
		Name: "c",
		Keys: func(_ *site, add func([]byte)) { add(nil) },
	})
	owners = kv.NewTable[owner]("siteowner")
)

func (v *site) show() api.Site {
	return api.Site{
		ID: v.ID, Name: v.Name, AllowedOrigins: slices.Clip(append([]string{}, v.Origins...)), Color: v.Color,
		Greeting: v.Greeting, Locale: v.Locale, RequireConsent: v.Consent, Identity: v.Identity,
		Secret:  api.SiteSecret{Set: len(v.Secret) > 0, Last4: v.Last4, Version: v.Rotated, Form: v.Form},
		Version: v.Version, CreatedAt: v.Created, UpdatedAt: v.Updated,
	}
}

func showSite(id string, v *site) (api.Site, error) {
	v.ID = id
	return v.show(), nil
}

// collection keeps the sites.
func (s *Service) collection() *resource.Collection[site] {
	return resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[site]{
		Table: sites, Index: "c", Prefix: "site", Noun: "site", Max: maxSites,
		Head: func(v *site) resource.Head {
			return resource.Head{ID: &v.ID, Version: &v.Version, CreatedAt: &v.Created, UpdatedAt: &v.Updated}
		},
		Events:   resource.Tell(s.log, siteCreated, siteUpdated, siteDeleted, (*site).show),
		OnDelete: func(tx kv.Tx, _ op.Caller, v *site) error { return owners.Delete(tx, "", v.ID) },
	})
}

// Sites lists the team's sites.
func (s *Service) Sites(ctx context.Context, who op.Caller, q api.PageQuery) (page api.Page[api.Site], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		page, err = op.List(tx, sites, who.Team, "", q, kv.Page[site]{Index: "c"}, showSite)
		return err
	})
	return page, err
}

// Site returns one site of the team.
func (s *Service) Site(ctx context.Context, who op.Caller, in api.SiteGet) (api.Site, error) {
	v, err := s.sites.Get(ctx, who, api.Ref{ID: in.ID})
	return v.show(), err
}

// SiteByID returns any team's site by the id that its pages name, and the team.
// It reads two records by their keys and keeps nothing, so that a change counts
// from the next connection on.
func (s *Service) SiteByID(ctx context.Context, id string) (teamID string, out api.Site, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		var v *site
		if teamID, v, err = siteOf(tx, id); err == nil {
			out = v.show()
		}
		return err
	})
	return teamID, out, err
}

func siteOf(tx kv.Tx, id string) (teamID string, v *site, err error) {
	o, err := owners.Get(tx, "", id)
	if err != nil {
		return "", nil, &kv.NotFoundError{Table: sites.Name(), ID: id}
	}
	if v, err = sites.Get(tx, o.Team, id); err == nil {
		v.ID = id
	}
	return o.Team, v, err
}

// CreateSite adds a site to the team. Without allowed origins the widget
// appears nowhere yet.
func (s *Service) CreateSite(ctx context.Context, who op.Caller, in api.SiteCreate) (api.Site, error) {
	origins, err := checkOrigins(in.AllowedOrigins)
	if err != nil {
		return api.Site{}, err
	}
	v := site{
		Name: in.Name, Origins: origins, Color: orDefault(in.Color, defaultColor), Greeting: in.Greeting,
		Locale: in.Locale, Consent: in.RequireConsent, Identity: orDefault(in.Identity, identityOff),
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Site, error) { return s.addSite(tx, who, v) })
}

func (s *Service) addSite(tx kv.Tx, who op.Caller, v site) (api.Site, error) {
	v, err := s.sites.CreateIn(tx, who, v)
	if err != nil {
		return api.Site{}, err
	}
	if err := owners.Insert(tx, "", v.ID, &owner{Team: who.Team}); err != nil {
		return api.Site{}, err
	}
	return v.show(), s.Audit(tx, &who, "sites.create", v.ID, detail{"name": v.Name})
}

// UpdateSite changes what the input names.
func (s *Service) UpdateSite(ctx context.Context, who op.Caller, in api.SitePatch) (api.Site, error) {
	if in.AllowedOrigins.Set {
		origins, err := checkOrigins(in.AllowedOrigins.Value)
		if err != nil {
			return api.Site{}, err
		}
		in.AllowedOrigins.Value = origins
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Site, error) {
		return s.changeSite(tx, who, in.SiteRef, "sites.update", func(v *site) { applySite(v, &in) })
	})
}

func applySite(v *site, in *api.SitePatch) {
	in.Name.Apply(&v.Name)
	in.AllowedOrigins.Apply(&v.Origins)
	in.Color.Apply(&v.Color)
	in.Greeting.Apply(&v.Greeting)
	in.Locale.Apply(&v.Locale)
	in.RequireConsent.Apply(&v.Consent)
	in.Identity.Apply(&v.Identity)
	v.Color = orDefault(v.Color, defaultColor)
	v.Identity = orDefault(v.Identity, identityOff)
}

// changeSite applies change to a site of the version that the caller saw.
func (s *Service) changeSite(tx kv.Tx, who op.Caller, ref api.SiteRef, action string, change func(*site)) (api.Site, error) {
	v, err := s.sites.ChangeIn(tx, who, ref, func(_ kv.Tx, v *site) error {
		change(v)
		return nil
	})
	if err != nil {
		return api.Site{}, err
	}
	return v.show(), s.Audit(tx, &who, action, ref.ID, detail{"name": v.Name})
}

// DeleteSite takes the widget off the site's pages. Its conversations stay.
func (s *Service) DeleteSite(ctx context.Context, who op.Caller, in api.SiteRef) (api.None, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (none api.None, err error) {
		v, err := s.sites.DeleteIn(tx, who, in)
		if err != nil {
			return none, err
		}
		return none, s.Audit(tx, &who, "sites.delete", in.ID, detail{"name": v.Name})
	})
}

func orDefault(v, otherwise string) string {
	if v == "" {
		return otherwise
	}
	return v
}

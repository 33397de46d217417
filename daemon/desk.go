package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/domain/sites"
	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/pace"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

// desk receives the widget's visitors: sites admit them, conversations have
// them.
type desk struct {
	sites *sites.Service
	chat  *chat.Service
}

// What a network may ask of the widget's fallback, and how many are remembered.
const (
	fallbackBurst = 40
	fallbackEvery = time.Second / 5
	fallbackKnown = 1 << 14
)

func newFallbackPace() func(address string) time.Duration {
	l := pace.New[netip.Prefix](fallbackBurst, fallbackEvery, fallbackKnown)
	return func(address string) time.Duration { return l.Take(netaddr.Network(address)).Wait }
}

// Admit implements widget.Desk.
func (d *desk) Admit(ctx context.Context, siteID, origin string) (widget.Site, error) {
	teamID, site, err := d.sites.AdmitSite(ctx, siteID, origin)
	return widget.Site{Team: teamID, Site: site, Origin: origin}, err
}

// Visit implements widget.Desk.
func (d *desk) Visit(ctx context.Context, site widget.Site, hello api.ChatIn, address string) (widget.Visit, error) {
	return d.visit(ctx, site, chat.Arrival{Address: address, Hello: hello})
}

// Call implements widget.Desk.
func (d *desk) Call(ctx context.Context, site widget.Site, hello api.ChatIn, address string) (widget.Visit, error) {
	return d.visit(ctx, site, chat.Arrival{Address: address, Hello: hello, Brief: true})
}

func (d *desk) visit(ctx context.Context, site widget.Site, arrival chat.Arrival) (widget.Visit, error) {
	arrival.Team, arrival.Site, arrival.Origin = site.Team, site.Site, site.Origin
	if site.Identity != "off" {
		arrival.Verify = func(ctx context.Context, claim api.ChatUser) (*chat.Identity, error) {
			return d.verify(ctx, site.Site, claim)
		}
	}
	if claim := arrival.Hello.User; claim != nil && arrival.Verify != nil {
		var err error
		if arrival.Verified, err = arrival.Verify(ctx, *claim); err != nil {
			return nil, err
		}
	}
	visit, err := d.chat.Visit(ctx, arrival)
	if err != nil {
		return nil, err // not a nil *chat.Visit in an interface
	}
	// The site may have changed after it was read and before the visit was one of
	// those that a change of it closes.
	if err := d.settle(ctx, site.ID); err != nil {
		visit.Close()
		return nil, err
	}
	return visit, nil
}

// settle closes the visits that a site as it is now would not let in.
func (d *desk) settle(ctx context.Context, siteID string) error {
	_, site, err := d.sites.SiteByID(ctx, siteID)
	exists, err := found(err)
	if err == nil {
		d.chat.SiteChanged(siteID, site, exists)
	}
	return err
}

// watchSites closes visits when their site changes, whichever process changed it.
func (d *Daemon) watchSites(ctx context.Context) error {
	at := &desk{sites: d.sites, chat: d.chat}
	return d.log.Tail(ctx, func(e api.Event) {
		var changed struct {
			ID string `json:"id"`
		}
		err := json.Unmarshal(e.Data.Object, &changed)
		if err == nil {
			err = at.settle(ctx, changed.ID)
		}
		d.logEnd("close the visits of a changed site", err)
	}, "site.updated", "site.deleted")
}

// verify returns who the site has proved that the visitor is, nil is nobody.
// A proof that does not hold is refused, rather than taken for a stranger's.
func (d *desk) verify(ctx context.Context, site api.Site, claim api.ChatUser) (*chat.Identity, error) {
	if claim.Token == "" {
		return nil, nil
	}
	id, ok := d.sites.VerifyIdentity(ctx, site, claim)
	if !ok {
		return nil, api.NewError(http.StatusUnauthorized, api.CodeInvalidCredentials, "The site's proof of who the visitor is does not hold.")
	}
	return &chat.Identity{ID: id.ID, Email: id.Email, Name: id.Name}, nil
}

// demoSite is the site of the demo page: the first of the only team that there
// is.
func (d *Daemon) demoSite(ctx context.Context) string {
	t, ok, err := d.team.Only(ctx)
	if err != nil || !ok {
		return ""
	}
	who := op.Caller{Kind: op.System, Team: t.ID}
	all, err := d.sites.Sites(ctx, who, api.PageQuery{Limit: 1, Order: "asc"})
	if err != nil || len(all.Data) == 0 {
		return ""
	}
	return all.Data[0].ID
}

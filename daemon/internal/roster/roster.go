// Package roster holds the records of teams, their members and the accounts
// that members sign in with: what package team changes and package access
// recognises callers by. It knows the records and nothing of what may be done
// with them.
package roster

import (
	"cmp"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Team is the record behind api.Team.
type Team struct {
	Name    string    `json:"n"`
	Slug    string    `json:"s"`
	Zone    string    `json:"z,omitempty"` // IANA name; "" is UTC
	Brand   api.Brand `json:"b"`
	Version int       `json:"v"`
	Created api.Time  `json:"c"`
	Updated api.Time  `json:"u"`
	// Site is the settings of the public pages; its URL is not kept.
	Site api.PublicSite `json:"w,omitzero"`
}

// Teams are owned by no team but the daemon (""), so that the index of slugs
// spans all of them. A caller's own team id is the only one that is ever looked
// up for it.
var Teams = kv.NewTable("team", kv.Index[Team]{
	Name: "slug", Unique: true,
	Keys: func(v *Team, add func([]byte)) { add(kv.Key(v.Slug)) },
})

// Timezone is the IANA name of the time zone by which the team's days begin.
func (v *Team) Timezone() string { return cmp.Or(v.Zone, "UTC") }

// Show returns the team as it is answered.
func (v *Team) Show(id string) api.Team {
	return api.Team{
		ID: id, Name: v.Name, Slug: v.Slug, Timezone: v.Timezone(), Brand: v.Brand,
		Version: v.Version, CreatedAt: v.Created, UpdatedAt: v.Updated,
	}
}

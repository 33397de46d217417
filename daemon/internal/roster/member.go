package roster

import (
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Member is the record behind api.User.
type Member struct {
	Email     string   `json:"e"`
	Name      string   `json:"n,omitempty"`
	Role      string   `json:"r"`
	Invited   bool     `json:"i,omitempty"`
	Waits     bool     `json:"w,omitempty"` // has no account: when invited, the address signed in elsewhere
	Link      string   `json:"l,omitempty"` // id of the sign-in link's record
	LastLogin api.Time `json:"ll,omitempty"`
	Created   api.Time `json:"c"`
	Updated   api.Time `json:"u"`
	Version   int      `json:"v"`
}

// Members belong to their teams. The index "owner" has those who own theirs,
// "waits" those who have no account by their e-mail address.
var Members = kv.NewTable("member",
	kv.Index[Member]{Name: "c", Keys: func(_ *Member, add func([]byte)) { add(nil) }},
	kv.Index[Member]{Name: "owner", Keys: func(v *Member, add func([]byte)) {
		if v.Role == api.RoleOwner {
			add(nil)
		}
	}},
	kv.Index[Member]{Name: "waits", Unique: true, Keys: func(v *Member, add func([]byte)) {
		if v.Waits {
			add(kv.Key(v.Email))
		}
	}},
)

// Called is what to call a member: the name, or the e-mail address when there is
// none.
func (m *Member) Called() string {
	if m.Name != "" {
		return m.Name
	}
	return m.Email
}

// Show returns the member as they are answered.
func (m *Member) Show(id string) api.User {
	out := api.User{
		ID: id, Email: m.Email, Name: m.Name, Role: m.Role, State: "active", LastLoginAt: m.LastLogin,
		CreatedAt: m.Created, UpdatedAt: m.Updated, Version: m.Version,
	}
	if m.Invited {
		out.State = "invited"
	}
	return out
}

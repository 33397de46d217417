package op

import (
	"math/bits"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// Scope is a set of permissions of a key.
type Scope uint64

// The permissions.
const (
	PostsRead Scope = 1 << iota
	PostsWrite
	PostsPublish
	PeopleRead
	PeopleWrite
	EmailsSend
	SequencesWrite
	ProductsWrite
	OrdersRead
	OrdersWrite
	RefundsWrite
	AnalyticsRead
	AnalyticsWrite
	WebhooksManage
	HelpdeskRead
	HelpdeskWrite
	ConversationsRead
	ConversationsReply
	AgentsRun
	AIUse
	scopeEnd

	AllScopes = scopeEnd - 1
)

// scopeNames is in the order of the constants.
var scopeNames = [...]string{
	"posts:read", "posts:write", "posts:publish", "people:read", "people:write", "emails:send",
	"sequences:write", "products:write", "orders:read", "orders:write", "refunds:write",
	"analytics:read", "analytics:write", "webhooks:manage", "helpdesk:read", "helpdesk:write",
	"conversations:read", "conversations:reply", "agents:run", "ai:use",
}

const (
	readScopes   = PostsRead | PeopleRead | OrdersRead | AnalyticsRead | HelpdeskRead | ConversationsRead
	writerScopes = readScopes | PostsWrite | PostsPublish | HelpdeskWrite | AIUse
	deskScopes   = readScopes | ConversationsReply | HelpdeskWrite | AgentsRun | AIUse
)

// Presets are the names that stand for several scopes.
var presets = map[string]Scope{
	"*": AllScopes, "full": AllScopes, "read-only": readScopes,
	"publisher": writerScopes, "operator": deskScopes,
}

// ParseScopes reads scope and preset names; unknown lists those that are
// neither.
func ParseScopes(names []string) (set Scope, unknown []string) {
	for _, name := range names {
		if p, ok := presets[name]; ok {
			set |= p
			continue
		}
		one := scopeOf(name)
		if one == 0 {
			unknown = append(unknown, name)
		}
		set |= one
	}
	return set, unknown
}

func scopeOf(name string) Scope {
	for i, n := range scopeNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}

// Names lists the permissions, "*" when it is all of them.
func (s Scope) Names() []string {
	if s == AllScopes {
		return []string{"*"}
	}
	names := make([]string, 0, bits.OnesCount64(uint64(s)))
	for i, n := range scopeNames {
		if s&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// ScopeNames lists every permission there is.
func ScopeNames() []string { return scopeNames[:] }

// String joins Names with spaces, as OAuth writes scopes.
func (s Scope) String() string { return strings.Join(s.Names(), " ") }

// Role is the standing of a member; a higher one includes those below. The zero
// Role is no member.
type Role int

// The roles.
const (
	Viewer Role = iota + 1
	Operator
	Editor
	Admin
	Owner
)

var roles = [...]struct {
	name   string
	scopes Scope
}{
	{}, {api.RoleViewer, readScopes}, {api.RoleOperator, deskScopes},
	{api.RoleEditor, writerScopes | deskScopes | AnalyticsWrite}, {api.RoleAdmin, AllScopes}, {api.RoleOwner, AllScopes},
}

// ParseRole returns the role of that name, 0 for none.
func ParseRole(name string) Role {
	for r := Viewer; r <= Owner; r++ {
		if roles[r].name == name {
			return r
		}
	}
	return 0
}

func (r Role) String() string { return roles[r].name }

// Scopes are what a member of the role may do.
func (r Role) Scopes() Scope { return roles[r].scopes }

package api

// The roles of a member, each including those after it.
const (
	RoleOwner    = "owner"
	RoleAdmin    = "admin"
	RoleEditor   = "editor"
	RoleOperator = "operator"
	RoleViewer   = "viewer"
)

// Team owns everything.
type Team struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Slug      string `json:"slug" form:"label" doc:"Path prefix of the team's public pages."`
	Timezone  string `json:"timezone" doc:"IANA name, such as Europe/Berlin: the team's days begin and end by it."`
	Brand     Brand  `json:"brand"`
	Version   int    `json:"version"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// TeamUsage is what a team takes of the server.
type TeamUsage struct {
	Storage StorageUsage `json:"storage"`
}

// StorageUsage is counted with every change: the team's records and files, and
// the index entries that find them.
type StorageUsage struct {
	Bytes int64 `json:"bytes" doc:"Bytes that the team stores."`
	Limit int64 `json:"limit,omitempty" doc:"Most bytes that it may store; absent where there is no limit. Beyond it, writes are refused with storage_full and deleting still works."`
}

// Brand is what generated content may say about the team.
type Brand struct {
	Description string   `json:"description,omitempty" maxLength:"2000"`
	Audience    string   `json:"audience,omitempty" maxLength:"500"`
	Voice       string   `json:"voice,omitempty" maxLength:"500" doc:"How the team writes."`
	Facts       []string `json:"facts,omitempty" maxItems:"50" doc:"Statements that may be used as they are."`
	LogoURL     string   `json:"logoUrl,omitempty" maxLength:"2048"`
}

// TeamPatch changes the team.
type TeamPatch struct {
	Name     Opt[string] `json:"name,omitzero" minLength:"1" maxLength:"120"`
	Slug     Opt[string] `json:"slug,omitzero" form:"label" minLength:"1" maxLength:"60"`
	Timezone Opt[string] `json:"timezone,omitzero" maxLength:"64" null:"true" doc:"IANA name, such as Europe/Berlin; null is UTC."`
}

// None is the input or answer of operations that have none.
type None struct{}

// Me says who the caller is.
type Me struct {
	Team      TeamRef  `json:"team"`
	Actor     Actor    `json:"actor"`
	User      *User    `json:"user,omitempty" doc:"The member, for a session."`
	KeyName   string   `json:"keyName,omitempty"`
	Scopes    []string `json:"scopes"`
	Role      string   `json:"role,omitempty"`
	ExpiresAt Time     `json:"expiresAt" null:"true"`
	Version   string   `json:"daemonVersion"`
}

// TeamRef names a team.
type TeamRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug" form:"label"`
}

// Actor is who did something.
type Actor struct {
	Type string `json:"type" enum:"key,user,agent,automation,system"`
	ID   string `json:"id"`
}

// User is a member of a team.
type User struct {
	ID          string `json:"id"`
	Email       string `json:"email"`
	Name        string `json:"name"`
	Role        string `json:"role" enum:"owner,admin,editor,operator,viewer"`
	State       string `json:"state" enum:"active,invited"`
	LastLoginAt Time   `json:"lastLoginAt" null:"true"`
	CreatedAt   Time   `json:"createdAt"`
	UpdatedAt   Time   `json:"updatedAt"`
	Version     int    `json:"version"`
}

// MemberInvite invites a member; the answer carries a sign-in link once.
type MemberInvite struct {
	Email string `json:"email" minLength:"3" maxLength:"254"`
	Name  string `json:"name,omitempty" maxLength:"120"`
	Role  string `json:"role" enum:"admin,editor,operator,viewer"`
}

// MemberInvited is the answer to MemberInvite.
type MemberInvited struct {
	User   User   `json:"user"`
	Link   Secret `json:"link" doc:"Single use, valid 72 hours, shown once."`
	Expire Time   `json:"expiresAt"`
}

// MemberRef names a member.
type MemberRef struct {
	ID string `json:"id"`
}

// MemberRole changes a member's role.
type MemberRole struct {
	ID   string `json:"id"`
	Role string `json:"role" enum:"owner,admin,editor,operator,viewer"`
}

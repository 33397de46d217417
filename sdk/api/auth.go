package api

// Login starts a session with e-mail and password, or with the token of a
// sign-in link. NewPassword sets the password at the first sign-in by link.
type Login struct {
	Email       string `json:"email,omitempty" maxLength:"254"`
	Password    Secret `json:"password,omitempty" maxLength:"200"`
	LinkToken   Secret `json:"linkToken,omitempty" maxLength:"200"`
	NewPassword Secret `json:"newPassword,omitempty" maxLength:"200"`
}

// Session is a signed-in member. Token is set in the answer to Login only.
type Session struct {
	ID        string `json:"id"`
	Token     Secret `json:"token,omitempty" doc:"sess_…, shown once; also set as a cookie."`
	User      User   `json:"user"`
	Team      Team   `json:"team"`
	CreatedAt Time   `json:"createdAt"`
	ExpiresAt Time   `json:"expiresAt"`
	UserAgent string `json:"userAgent,omitempty"`
	Address   string `json:"address,omitempty"`
	Current   bool   `json:"current,omitempty"`
}

// SessionRef names a session.
type SessionRef struct {
	ID string `json:"id"`
}

// MinPassword is the fewest characters of a password.
const MinPassword = 10

// PasswordChange changes the caller's password and ends the other sessions.
type PasswordChange struct {
	Current Secret `json:"currentPassword" maxLength:"200"`
	New     Secret `json:"newPassword" minLength:"10" maxLength:"200"`
}

// Key is a team API key. Secret is set when it is created or rolled, never
// again.
type Key struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Secret     Secret   `json:"secret,omitempty" doc:"svc_…, shown once."`
	Scopes     []string `json:"scopes"`
	Last4      string   `json:"last4"`
	State      string   `json:"state" enum:"active,expired,revoked"`
	LastUsedAt Time     `json:"lastUsedAt" null:"true" doc:"To the minute."`
	ExpiresAt  Time     `json:"expiresAt" null:"true"`
	RevokedAt  Time     `json:"revokedAt" null:"true"`
	CreatedAt  Time     `json:"createdAt"`
	UpdatedAt  Time     `json:"updatedAt"`
	Version    int      `json:"version"`
}

// KeyCreate creates a key.
type KeyCreate struct {
	Name      string   `json:"name" minLength:"1" maxLength:"120"`
	Scopes    []string `json:"scopes,omitempty" maxItems:"40" doc:"Scopes, *, or a preset: read-only, publisher, operator, full."`
	ExpiresAt Time     `json:"expiresAt,omitzero"`
}

// KeyUpdate changes a key's name, scopes or expiry.
type KeyUpdate struct {
	ID        string        `json:"id"`
	Name      Opt[string]   `json:"name,omitzero" minLength:"1" maxLength:"120"`
	Scopes    Opt[[]string] `json:"scopes,omitzero" maxItems:"40"`
	ExpiresAt Opt[Time]     `json:"expiresAt,omitzero" null:"true"`
}

// KeyRef names a key.
type KeyRef struct {
	ID string `json:"id"`
}

// KeyRoll replaces a key's secret; the old one works for GraceHours more.
type KeyRoll struct {
	ID         string `json:"id"`
	GraceHours int    `json:"graceHours,omitempty" minimum:"0" maximum:"168"`
}

// AuditEntry is one privileged act.
type AuditEntry struct {
	ID        string            `json:"id"`
	Action    string            `json:"action" doc:"The operation, such as apiKeys.create."`
	Actor     Actor             `json:"actor"`
	Target    string            `json:"target,omitempty"`
	Detail    map[string]string `json:"detail,omitempty"`
	RequestID string            `json:"requestId,omitempty"`
	CreatedAt Time              `json:"createdAt"`
}

package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/url"

	"edgesvc.dev/svc/sdk/api"
)

// Dashboard is the access of a signed-in member.
type Dashboard struct {
	Agents *AgentsService
	Auth   *AuthService
	Canned *CannedService
	Jobs   *LiveJobs
	Keys   *KeysService
	Sites  *SitesService
	Tasks  *TasksService
	Team   *TeamService

	Conversations *LiveConversations

	t *transport
}

// NewDashboard takes up an earlier session by its token, sess_….
func NewDashboard(baseURL, token string, options ...Option) *Dashboard {
	t := newTransport(baseURL, options)
	t.credential = newSecret(token)
	return &Dashboard{
		Agents: &AgentsService{t: t},
		Auth:   &AuthService{t: t},
		Canned: &CannedService{t: t},
		Jobs:   &LiveJobs{t: t},
		Keys:   &KeysService{t: t},
		Sites:  &SitesService{t: t},
		Tasks:  &TasksService{t: t},
		Team:   &TeamService{t: t},

		Conversations: newLiveConversations(t),

		t: t,
	}
}

// Login signs a member in with e-mail address and password.
func Login(ctx context.Context, baseURL, email, password string, options ...Option) (*Dashboard, error) {
	return signIn(ctx, baseURL, api.Login{Email: email, Password: password}, options)
}

// LoginLink signs a member in with a sign-in link, which works once. newPassword
// becomes the member's password; it may be empty when there is one already.
func LoginLink(ctx context.Context, link, newPassword string, options ...Option) (*Dashboard, error) {
	baseURL, token, err := ParseLink(link)
	if err != nil {
		return nil, err
	}
	return signIn(ctx, baseURL, api.Login{LinkToken: token, NewPassword: newPassword}, options)
}

// ParseLink splits a sign-in link into the daemon's address and the token.
func ParseLink(link string) (baseURL, token string, err error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Query().Get("token") == "" {
		// The link is a credential: it stays out of the message.
		return "", "", fmt.Errorf("a sign-in link looks like https://svc.example/sign-in?token=…")
	}
	return u.Scheme + "://" + u.Host, u.Query().Get("token"), nil
}

func signIn(ctx context.Context, baseURL string, in api.Login, options []Option) (*Dashboard, error) {
	anonymous := NewDashboard(baseURL, "", options...)
	s, err := do[api.Session](ctx, anonymous.t, operation("auth.login", "token"), in, nil)
	if err != nil {
		return nil, err
	}
	return NewDashboard(baseURL, s.Token, options...), nil
}

// Token returns the session's token, for NewDashboard at another time.
func (d *Dashboard) Token() string { return d.t.credential.reveal() }

// operation is the route of an operation in a member's session.
func operation(name, member string) route { return route{"POST", procedures + name, member} }

// Format prints the address and the masked token with every verb.
func (d *Dashboard) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "sdk.Dashboard{%s}", d.t) }

// LogValue is the printed form.
func (d *Dashboard) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(d)) }

// Call runs a procedure that this package has no method for. Input and answer
// are plain JSON; a nil in is {}.
func (d *Dashboard) Call(ctx context.Context, name string, in any, options ...CallOption) (json.RawMessage, error) {
	out, err := do[json.RawMessage](ctx, d.t, operation(url.PathEscape(name), ""), in, options)
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Follow yields the values of a live procedure as plain JSON. It opens a
// connection that is lost again, and ends with ctx, with the procedure, or with
// an error that another connection would meet too.
func (d *Dashboard) Follow(ctx context.Context, name string, in any) iter.Seq2[json.RawMessage, error] {
	return subscribe[json.RawMessage](ctx, d.t, url.PathEscape(name), in)
}

package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"

	"edgesvc.dev/svc/sdk/api"
)

// Login signs a member in with e-mail address and password.
func Login(ctx context.Context, baseURL, email, password string, options ...Option) (*Client, error) {
	return signIn(ctx, baseURL, api.Login{Email: email, Password: api.Secret(password)}, options)
}

// LoginLink signs a member in with a sign-in link, which works once. newPassword
// becomes the member's password; it may be empty when there is one already.
func LoginLink(ctx context.Context, link, newPassword string, options ...Option) (*Client, error) {
	baseURL, token, err := ParseLink(link)
	if err != nil {
		return nil, err
	}
	return signIn(ctx, baseURL, api.Login{LinkToken: api.Secret(token), NewPassword: api.Secret(newPassword)}, options)
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

func signIn(ctx context.Context, baseURL string, in api.Login, options []Option) (*Client, error) {
	anonymous := New(baseURL, append(options, WithSession(""))...)
	s, err := do[api.Session](ctx, anonymous.t, "auth.login", in, nil)
	if err != nil {
		return nil, err
	}
	return New(baseURL, append(options, WithSession(string(s.Token)))...), nil
}

// Token returns the session's token, for WithSession at another time.
func (c *Client) Token() string { return c.t.credential.reveal() }

// Call runs a procedure that this package has no method for, in a member's
// session. Input and answer
// are plain JSON; a nil in is {}.
func (c *Client) Call(ctx context.Context, name string, in any, options ...CallOption) (json.RawMessage, error) {
	out, err := answer[json.RawMessage](ctx, c.t, procedure(name, ""), in, options)
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Follow yields the values of a live procedure as plain JSON. It opens a
// connection that is lost again, and ends with ctx, with the procedure, or with
// an error that another connection would meet too.
func (c *Client) Follow(ctx context.Context, name string, in any) iter.Seq2[json.RawMessage, error] {
	return subscribe[json.RawMessage](ctx, c.t, url.PathEscape(name), in)
}

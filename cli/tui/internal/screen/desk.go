package screen

import (
	"context"
)

// Desk is the rest of svcctl, as the screens use it.
type Desk struct {
	// EditPost has a post edited in the person's editor, and NewPost written;
	// both say what was saved.
	EditPost func(ctx context.Context, t Terminal, id string) (string, error)
	NewPost  func(ctx context.Context, t Terminal) (string, error)
	// EditText has a text edited and returns what it says afterwards.
	EditText func(ctx context.Context, t Terminal, name, text string) (string, error)
	// Browse shows an address in the browser.
	Browse func(address string) error
	// Explain says what an error means and what to do about it.
	Explain func(err error) (message, hint string)
	// Member is the id of the member whose session this is, "" without one.
	Member func(ctx context.Context) (string, error)
	// SignIn makes a context of what the wizard asked for and says its team.
	SignIn func(ctx context.Context, in SignIn) (team string, err error)
}

// SignIn is the answers of the wizard: a link, or an address with e-mail and
// password.
type SignIn struct {
	URL, Link, Email, Password string
}

package sdk

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"edgesvc.dev/svc/sdk/api"
)

// Client is a team's access by API key.
type Client struct {
	Posts  *PostsService
	Jobs   *JobsService
	Media  *MediaService
	Events *EventsService

	Helpdesk      *HelpdeskService
	Conversations *ConversationsService

	t *transport
}

// New returns a client of the daemon at baseURL, the address without /svc-api.
// It does not connect: a bad address is the error of the first call.
func New(baseURL string, options ...Option) *Client {
	t := newTransport(baseURL, options)
	return &Client{
		Posts:  &PostsService{t: t},
		Jobs:   &JobsService{t: t},
		Media:  &MediaService{t: t},
		Events: &EventsService{t: t},

		Helpdesk:      &HelpdeskService{t: t},
		Conversations: &ConversationsService{t: t},
		t:             t,
	}
}

// FromEnv is New with the address and the key of SVC_URL and SVC_API_KEY.
// Without SVC_URL it takes the address where svcd listens by default.
func FromEnv(options ...Option) *Client {
	url := os.Getenv("SVC_URL")
	if url == "" {
		url = DefaultURL
	}
	return New(url, append([]Option{WithAPIKey(os.Getenv("SVC_API_KEY"))}, options...)...)
}

// Me says whose key this is.
func (c *Client) Me(ctx context.Context, options ...CallOption) (*api.Me, error) {
	return do[api.Me](ctx, c.t, route{"GET", v1 + "/me", "team"}, nil, options)
}

// Models lists the language models that generate.
func (c *Client) Models(ctx context.Context, options ...CallOption) ([]api.Model, error) {
	list, err := do[api.ModelList](ctx, c.t, route{"GET", v1 + "/models", "data"}, nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}

// Brand returns what generated content may say about the team.
func (c *Client) Brand(ctx context.Context, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, c.t, route{"GET", v1 + "/brand", ""}, nil, options)
}

// Format prints the address and the masked key with every verb.
func (c *Client) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "sdk.Client{%s}", c.t) }

// LogValue is the printed form.
func (c *Client) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

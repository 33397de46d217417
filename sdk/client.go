package sdk

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"edgesvc.dev/svc/sdk/api"
)

// Client is the access of a program by API key, or of a member by session. What a
// credential may not call is refused by the daemon, or before that when it is not
// offered to keys at all.
type Client struct {
	Posts  *PostsService
	Jobs   *JobsService
	Media  *MediaService
	Events *EventsService

	Articles   *ArticlesService
	Categories *CategoriesService
	Gaps       *GapsService
	Helpdesk   *HelpdeskService

	Conversations *ConversationsService
	Agents        *AgentsService
	Canned        *CannedService
	Tasks         *TasksService
	Sites         *SitesService

	Auth *AuthService
	Keys *KeysService
	Team *TeamService

	t *transport
}

// New returns a client of the daemon at baseURL, the address without /svc-api.
// It does not connect: a bad address is the error of the first call.
func New(baseURL string, options ...Option) *Client {
	t := newTransport(baseURL, options)
	return &Client{
		Posts:  &PostsService{texts[api.Post, api.PostCreate, api.PostPatch, api.PostQuery, api.Revision](t, "posts")},
		Jobs:   newJobs(t),
		Media:  &MediaService{Lister[api.Media, api.MediaQuery]{rows{t, "media"}}},
		Events: &EventsService{Lister[api.Event, api.EventQuery]{rows{t, "events"}}},

		Articles:   &ArticlesService{texts[api.Article, api.ArticleCreate, api.ArticlePatch, api.ArticleQuery, api.ArticleRevision](t, "helpdesk.articles")},
		Categories: &CategoriesService{resource[api.Category, api.CategoryCreate, api.CategoryPatch, api.CategoryQuery](t, "helpdesk.categories")},
		Gaps:       &GapsService{Lister[api.Gap, api.GapQuery]{rows{t, "helpdesk.gaps"}}},
		Helpdesk:   &HelpdeskService{rows{t, "helpdesk"}},

		Conversations: &ConversationsService{Lister[api.Conversation, api.ConversationQuery]{rows{t, "conversations"}}},
		Agents:        &AgentsService{resource[api.Agent, api.AgentCreate, api.AgentPatch, api.PageQuery](t, "agents")},
		Canned:        &CannedService{resource[api.CannedResponse, api.CannedCreate, api.CannedPatch, api.CannedQuery](t, "cannedResponses")},
		Tasks:         &TasksService{resource[api.Task, api.TaskCreate, api.TaskPatch, api.TaskQuery](t, "tasks")},
		Sites:         &SitesService{resource[api.Site, api.SiteCreate, api.SitePatch, api.PageQuery](t, "sites")},

		Auth: &AuthService{rows{t, "auth"}},
		Keys: &KeysService{Lister[api.Key, api.PageQuery]{rows{t, "apiKeys"}}},
		Team: &TeamService{rows{t, "team"}},
		t:    t,
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
	return do[api.Me](ctx, c.t, "me.get", nil, options)
}

// Models lists the language models that generate.
func (c *Client) Models(ctx context.Context, options ...CallOption) ([]api.Model, error) {
	list, err := do[api.ModelList](ctx, c.t, "models.list", nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}

// Brand returns what generated content may say about the team.
func (c *Client) Brand(ctx context.Context, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, c.t, "brand.get", nil, options)
}

// PublicSite returns how the team's public pages look and where they lead.
func (c *Client) PublicSite(ctx context.Context, options ...CallOption) (*api.PublicSite, error) {
	return do[api.PublicSite](ctx, c.t, "site.get", nil, options)
}

// UpdatePublicSite changes the members that in sets.
func (c *Client) UpdatePublicSite(ctx context.Context, in api.PublicSitePatch, options ...CallOption) (*api.PublicSite, error) {
	return do[api.PublicSite](ctx, c.t, "site.update", in, options)
}

// Format prints the address and the masked credential with every verb.
func (c *Client) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "sdk.Client{%s}", c.t) }

// LogValue is the printed form.
func (c *Client) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

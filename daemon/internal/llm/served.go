package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	listPatience = 5 * time.Second
	maxList      = 1 << 20
	// How long a list of a server's models is believed, and how long one that
	// could not be had is not asked for again.
	listFresh = 10 * time.Minute
	listStale = 30 * time.Second
)

// server is where a vendor's models are asked for.
type server struct {
	provider string
	address  string // as it is shown: without credentials and query
	list     string // address of its list of models
	header   http.Header
	http     *http.Client

	mu    sync.Mutex // guards what follows, and is held while the list is fetched
	names []string
	until time.Time
}

func newServer(provider, base, path string, header http.Header, client *http.Client) *server {
	base = strings.TrimRight(base, "/")
	return &server{provider: provider, address: shownAddress(base), list: base + path, header: header, http: guarded(client, listPatience)}
}

// shownAddress is an address without what may be secret in it.
func shownAddress(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// models asks the server which models it has. Vendors and compatible servers
// answer alike.
func (s *server) models(ctx context.Context) ([]string, *Error) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.list, nil)
	if err != nil {
		return nil, brokenAnswer(s.provider, "the address is not valid")
	}
	req.Header = s.header.Clone()
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, sorted(ctx, s.provider, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, answerError(s.provider, resp.StatusCode, resp.Header, "")
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxList)).Decode(&list); err != nil {
		return nil, brokenAnswer(s.provider, "the list of models is not JSON")
	}
	names := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// name is what a compatible server calls a model for which no name is configured:
// the id where it has one of that name, else the first that it has. A server that
// does not say gets the id.
func (s *server) name(ctx context.Context, id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.until) {
		names, err := s.models(ctx)
		s.names, s.until = names, now.Add(listFresh)
		if err != nil {
			s.until = now.Add(listStale)
		}
	}
	return choose(s.names, id) // an error leaves no names
}

// known is name as far as it is known without asking; "" when it is not.
func (s *server) known(id string) string {
	if !s.mu.TryLock() {
		return ""
	}
	defer s.mu.Unlock()
	if len(s.names) == 0 {
		return ""
	}
	return choose(s.names, id)
}

func choose(names []string, id string) string {
	writes := func(name string) bool { return !strings.Contains(strings.ToLower(name), "embed") }
	if i := slices.IndexFunc(names, writes); i >= 0 && !slices.Contains(names, id) {
		return names[i]
	}
	return id
}

// NameAt is what a compatible server that gave this list is asked for, for a
// model for which no name is configured.
func NameAt(s *Checked, id string) string {
	if s.Provider != ProviderCompatible {
		return id
	}
	return choose(s.Models, id)
}

// Outcome is how the latest request for a model ended.
type Outcome struct {
	At        time.Time
	OK        bool
	Status    int    // of the answer; 0 when there was none
	RequestID string // by which the vendor finds the request
	Problem   Kind   // why it failed
}

// outcomes are the latest by model.
type outcomes struct {
	mu sync.Mutex // guards of
	of map[string]Outcome
}

func (o *outcomes) note(model string, out Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]Outcome{}
	}
	out.At = time.Now()
	o.of[model] = out
}

func (o *outcomes) last(model string) *Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, ok := o.of[model]
	if !ok {
		return nil
	}
	return &last
}

// Serving says who answers for a model, how, and what came of it last.
type Serving struct {
	Provider string   // one of the Provider constants
	Name     string   // under which the server is asked for it; "" while that is not known
	Address  string   // of the server; "" offline
	Last     *Outcome // of the latest request since the process began, nil before the first
}

// ServingOf says who would answer for a model now.
func (r *Router) ServingOf(m Model) Serving {
	s := Serving{Provider: r.route(m).label()}
	server := r.serverOf(m)
	if server == nil {
		return s
	}
	s.Last = r.outcomes.last(m.ID)
	s.Address, s.Name = server.address, cmp.Or(r.modelNames[m.ID], m.ID)
	if r.finds(m) {
		s.Name = server.known(m.ID)
	}
	return s
}

func (r *Router) serverOf(m Model) *server {
	switch v := r.route(m).(type) {
	case *openAI:
		return v.server
	case *anthropic:
		return v.server
	}
	return nil
}

// finds reports that the name of a model is looked up at its server.
func (r *Router) finds(m Model) bool {
	v, ok := r.route(m).(*openAI)
	return ok && v.provider == ProviderCompatible && r.modelNames[m.ID] == ""
}

// Checked is what a server said when it was asked for its models.
type Checked struct {
	Provider, Address string
	Models            []string // that it has
	Problem           *Error   // nil when it answered
}

// Check asks every configured server for its models, which costs nothing.
func (r *Router) Check(ctx context.Context) []Checked {
	var out []Checked
	for _, s := range r.servers() {
		c := Checked{Provider: s.provider, Address: s.address}
		c.Models, c.Problem = s.models(ctx)
		out = append(out, c)
	}
	return out
}

func (r *Router) servers() (all []*server) {
	if r.openai != nil {
		all = append(all, r.openai.server)
	}
	if r.anthropic != nil {
		all = append(all, r.anthropic.server)
	}
	return all
}

// failed tells the operator of a try that failed: never what was sent or
// answered, which is the team's.
func failed(provider, model string, try int, e *Error) {
	attrs := []any{"provider", provider, "model", model, "try", try, "kind", string(e.Kind)}
	if e.Status != 0 {
		attrs = append(attrs, "status", e.Status)
	}
	if e.RequestID != "" {
		attrs = append(attrs, "requestId", e.RequestID)
	}
	if e.Reason != "" {
		attrs = append(attrs, "reason", e.Reason)
	}
	slog.Warn("a model's server failed", attrs...)
}

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"edgesvc.dev/svc/sdk/api"
	"github.com/rogpeppe/go-internal/testscript"
)

const fakeKey = "svc_0123456789abcdefghijklmnopqrstuvwxABCD"

// fake is a daemon's REST surface in memory, for what svcctl does with it.
type fake struct {
	mu       sync.Mutex // guards all below
	posts    []*api.Post
	answers  map[string]api.Post // by idempotency key
	refusals []*api.Error        // for the next writes

	followed chan struct{} // one for each stream of job_endless
}

// startFake begins a daemon and points the environment to it.
func startFake(ts *testscript.TestScript, _ bool, _ []string) {
	f := &fake{answers: map[string]api.Post{}, followed: make(chan struct{}, 10)}
	server := httptest.NewServer(f.routes())
	ts.Defer(server.Close)
	ts.Setenv("SVC_URL", server.URL)
	ts.Setenv("SVC_API_KEY", fakeKey)
}

// refuse has the environment's daemon refuse its next write: refuse STATUS CODE DETAIL.
func refuse(ts *testscript.TestScript, _ bool, args []string) {
	body := fmt.Sprintf(`{"status":%s,"code":%q,"detail":%q}`, args[0], args[1], args[2])
	resp, err := http.Post(ts.Getenv("SVC_URL")+"/refuse", "application/json", strings.NewReader(body))
	ts.Check(err)
	ts.Check(resp.Body.Close())
}

// awaitFollowers waits until job_endless was followed N times: followed N.
func awaitFollowers(ts *testscript.TestScript, _ bool, args []string) {
	resp, err := http.Get(ts.Getenv("SVC_URL") + "/followed/" + args[0])
	ts.Check(err)
	ts.Check(resp.Body.Close())
}

func (f *fake) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("POST /refuse", func(_ http.ResponseWriter, r *http.Request) {
		e := new(api.Error)
		_ = json.NewDecoder(r.Body).Decode(e)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.refusals = append(f.refusals, api.NewError(e.Status, e.Code, "%s", e.Detail))
	})
	for pattern, handle := range map[string]func(*http.Request) (int, any){
		"GET /me": f.me,
		"GET /models": func(*http.Request) (int, any) {
			return 200, api.ModelList{Data: []api.Model{{ID: "gpt-6-luna", Name: "Luna", State: "active", ServedBy: "offline"}}}
		},
		"GET /posts":                 f.list,
		"POST /posts":                f.create,
		"POST /media":                f.media,
		"GET /posts/jobs/{id}":       f.job,
		"GET /posts/{id}":            f.get,
		"GET /posts/by-slug/{id}":    f.get,
		"PATCH /posts/{id}":          f.patch,
		"DELETE /posts/{id}":         f.remove,
		"POST /posts/{id}/publish":   f.move(api.PostPublished),
		"POST /posts/{id}/unpublish": f.move(api.PostDraft),
		"POST /posts/{id}/archive":   f.move(api.PostArchived),
		"POST /posts/{id}/unarchive": f.move(api.PostDraft),
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /svc-api/v1"+path, f.answer(handle))
	}
	mux.HandleFunc("GET /svc-api/v1/posts/jobs/{id}/events", f.jobEvents)
	mux.HandleFunc("GET /followed/{n}", func(_ http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		for range n {
			<-f.followed
		}
	})
	mux.HandleFunc("POST /svc-api/trpc/{operation}", f.session)
	mux.HandleFunc("POST /svc-api/mcp", f.mcp)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 404, api.NewError(404, api.CodeRouteNotFound, "There is no such path."))
	})
	return mux
}

func write(w http.ResponseWriter, status int, v any) {
	kind := "application/json"
	if status >= 400 {
		kind = "application/problem+json"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Request-Id", "req_fake")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// answer checks the key, refuses where a script asked for it, and runs one
// request at a time.
func (f *fake) answer(handle func(*http.Request) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+fakeKey {
			write(w, 401, api.NewError(401, api.CodeInvalidKey, "The API key is not valid."))
			return
		}
		if r.Method != http.MethodGet && len(f.refusals) > 0 {
			e := f.refusals[0]
			f.refusals = f.refusals[1:]
			write(w, e.Status, e)
			return
		}
		status, v := handle(r)
		write(w, status, v)
	}
}

func (f *fake) me(*http.Request) (int, any) {
	return 200, api.Me{Team: api.TeamRef{ID: "team_1", Name: "Acme", Slug: "acme"}, KeyName: "ci", Scopes: []string{"*"}, Version: "dev"}
}

func missing() (int, any) { return 404, api.NewError(404, api.CodeNotFound, "There is no such post.") }

func (f *fake) find(r *http.Request) *api.Post {
	id := r.PathValue("id")
	i := slices.IndexFunc(f.posts, func(p *api.Post) bool { return p.ID == id || p.Slug == id })
	if i < 0 {
		return nil
	}
	return f.posts[i]
}

func (f *fake) get(r *http.Request) (int, any) {
	if p := f.find(r); p != nil {
		return 200, p
	}
	return missing()
}

func (f *fake) list(r *http.Request) (int, any) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(cmp.Or(q.Get("limit"), "20"))
	from, _ := strconv.Atoi(cmp.Or(q.Get("cursor"), "0"))
	page := api.Page[api.Post]{Data: []api.Post{}}
	for i := len(f.posts) - 1 - from; i >= 0; i-- {
		p := *f.posts[i]
		if len(page.Data) == limit {
			page.HasMore, page.NextCursor = true, strconv.Itoa(from)
			break
		}
		from++
		if q.Get("include") == "" {
			p.Content = ""
		}
		if q.Get("status") == "" || q.Get("status") == p.Status {
			page.Data = append(page.Data, p)
		}
	}
	return 200, page
}

func (f *fake) create(r *http.Request) (int, any) {
	var in api.PostCreate
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, api.NewError(400, api.CodeInvalidJSON, "%v", err)
	}
	key := r.Header.Get("Idempotency-Key")
	if p, ok := f.answers[key]; ok {
		return 201, p
	}
	p := &api.Post{
		ID: fmt.Sprintf("post_%026d", len(f.answers)+1), Title: in.Title, Slug: cmp.Or(in.Slug, strings.ReplaceAll(strings.ToLower(in.Title), " ", "-")),
		Content: in.Content, Description: in.Description, Status: cmp.Or(in.Status, api.PostDraft), Tags: in.Tags, FeaturedImage: in.FeaturedImage, PublishAt: in.PublishAt,
		Date: in.PublishedAt, Metadata: in.Metadata, Version: 1, CreatedAt: 1_700_000_000_000, UpdatedAt: 1_700_000_000_000,
	}
	if slices.ContainsFunc(f.posts, func(o *api.Post) bool { return o.Slug == p.Slug }) {
		e := api.NewError(409, api.CodeSlugTaken, "slug %q is already used", p.Slug)
		e.SuggestedSlug = p.Slug + "-2"
		return 409, e
	}
	f.posts = append(f.posts, p)
	f.answers[key] = *p
	if in.Generates() {
		return 202, api.JobStarted{JobID: "job_1", ID: "job_1", PostID: p.ID, State: api.JobQueued}
	}
	return 201, p
}

func (f *fake) patch(r *http.Request) (int, any) {
	p := f.find(r)
	if p == nil {
		return missing()
	}
	if match := r.Header.Get("If-Match"); match != "" && match != fmt.Sprintf(`"%d"`, p.Version) {
		return 412, api.NewError(412, api.CodeVersionConflict, "The post has version %d.", p.Version)
	}
	var in api.PostChanges
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return 422, api.NewError(422, api.CodeUnknownField, "%v", err)
	}
	in.Title.Apply(&p.Title)
	in.Content.Apply(&p.Content)
	in.Description.Apply(&p.Description)
	in.Slug.Apply(&p.Slug)
	in.Status.Apply(&p.Status)
	in.Tags.Apply(&p.Tags)
	in.PublishedAt.Apply(&p.Date)
	for key, value := range in.Metadata.Value {
		if p.Metadata == nil {
			p.Metadata = map[string]string{}
		}
		delete(p.Metadata, key)
		if value != nil {
			p.Metadata[key] = *value
		}
	}
	p.Version++
	return 200, p
}

func (f *fake) remove(r *http.Request) (int, any) {
	p := f.find(r)
	if p == nil {
		return missing()
	}
	f.posts = slices.DeleteFunc(f.posts, func(o *api.Post) bool { return o == p })
	return 200, api.Deleted{ID: p.ID, Deleted: true}
}

func (f *fake) move(status string) func(*http.Request) (int, any) {
	return func(r *http.Request) (int, any) {
		p := f.find(r)
		if p == nil {
			return missing()
		}
		p.Status = status
		p.Version++
		return 200, p
	}
}

func (f *fake) media(r *http.Request) (int, any) {
	b, _ := io.ReadAll(r.Body)
	return 201, api.Media{ID: "med_1", URL: "/media/med_1/" + r.URL.Query().Get("name"), Name: r.URL.Query().Get("name"), MIME: r.Header.Get("Content-Type"), Size: len(b), Source: "uploaded"}
}

func (f *fake) job(r *http.Request) (int, any) { return 200, aJob(r.PathValue("id"), api.JobCompleted) }

func aJob(id, state string) api.Job {
	return api.Job{ID: id, PostID: "post_00000000000000000000000001", State: state, Provider: "offline", Model: "gpt-6-luna",
		Steps: []api.JobStep{{Name: "content", State: state}}}
}

// jobEvents streams a job; one called job_failed fails, one called job_endless
// goes on.
func (f *fake) jobEvents(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, e api.JobEvent) {
		b, _ := json.Marshal(e)
		fmt.Fprintf(w, ": ping\n\nevent: %s\ndata: %s\n\n", kind, b)
	}
	running, final := aJob(id, api.JobRunning), aJob(id, api.JobCompleted)
	if id == "job_failed" {
		final = aJob(id, api.JobFailed)
		final.Error = &api.JobError{Code: "provider_error", Message: "The model did not answer."}
	}
	send("job", api.JobEvent{Type: "job", Job: &running})
	if id == "job_endless" {
		w.(http.Flusher).Flush()
		f.followed <- struct{}{}
		<-r.Context().Done()
		return
	}
	send("delta", api.JobEvent{Type: "delta", Step: "content", Text: "Go is \x1b[31mred"})
	send("job", api.JobEvent{Type: "job", Job: &final})
}

func (f *fake) session(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var input struct {
		JSON map[string]any `json:"json"`
	}
	_ = json.NewDecoder(r.Body).Decode(&input)
	in := input.JSON
	s := api.Session{ID: "ses_1", User: api.User{ID: "usr_1", Email: "ada@x.io", Role: "owner"}, Team: api.Team{ID: "team_1", Name: "Acme"}}
	operation := r.PathValue("operation")
	if operation == "auth.login" {
		if in["password"] != "correct horse" && in["linkToken"] != "once" {
			refuseProcedure(w, api.NewError(401, api.CodeInvalidCredentials, "E-mail address or password is wrong."))
			return
		}
		s.Token = "sess_0123456789abcdef"
		writeProcedure(w, s)
		return
	}
	if r.Header.Get("Authorization") != "Bearer sess_0123456789abcdef" {
		refuseProcedure(w, api.NewError(401, api.CodeSessionRequired, "Sign in first."))
		return
	}
	key := api.Key{ID: "key_1", Name: "svcctl", Scopes: []string{"*"}, Last4: "ABCD", State: "active"}
	switch operation {
	case "auth.session":
		writeProcedure(w, s)
	case "apiKeys.create", "apiKeys.roll":
		key.Secret = fakeKey
		writeProcedure(w, key)
	case "apiKeys.revoke":
		writeProcedure(w, key)
	case "apiKeys.list":
		writeProcedure(w, api.Page[api.Key]{Data: []api.Key{key}})
	default:
		writeProcedure(w, api.None{})
	}
}

// writeProcedure answers in tRPC with SuperJSON, as the daemon does.
func writeProcedure(w http.ResponseWriter, v any) {
	write(w, 200, map[string]any{"result": map[string]any{"data": map[string]any{"json": v}}})
}

func refuseProcedure(w http.ResponseWriter, e *api.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"json": map[string]any{
		"message": e.Detail, "code": -32001, "data": map[string]any{"code": "UNAUTHORIZED", "httpStatus": e.Status, "problem": e},
	}}})
}

func (f *fake) mcp(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	var result any
	switch m.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}}
	case "tools/list":
		name := "list_posts"
		if r.Header.Get("X-Mcp-Readonly") == "" {
			name = "create_post"
		}
		result = map[string]any{"tools": []any{map[string]any{"name": name, "description": "Posts.", "inputSchema": map[string]any{}, "version": r.Header.Get("Mcp-Protocol-Version")}}}
	case "tools/call":
		result = map[string]any{"content": []any{}, "structuredContent": map[string]any{"ok": true}}
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	write(w, 200, map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

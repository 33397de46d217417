package daemon_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

// bodies make the input of an operation valid, so that the refusal is about the
// object and not about the input.
var bodies = map[string]string{
	"posts.update":        `{"title":"stolen"}`,
	"apiKeys.update":      `{"name":"stolen"}`,
	"team.setRole":        `{"role":"viewer"}`,
	"posts.batch":         `{"items":[{"op":"publish","id":"{{id}}"}]}`,
	"apiKeys.create":      `{"name":"n"}`,
	"team.invite":         `{"email":"n@example.test","role":"viewer"}`,
	"auth.changePassword": `{"currentPassword":"x","newPassword":"yyyyyyyyyyyy"}`,
	"posts.create":        `{"title":"mine","content":"x"}`,
	"posts.generate":      `{"title":"mine","generateContent":true,"model":"gpt-6-luna"}`,

	"helpdesk.articles.create":   `{"title":"mine","content":"x"}`,
	"helpdesk.articles.update":   `{"title":"stolen"}`,
	"helpdesk.articles.feedback": `{"helpful":true}`,
	"helpdesk.categories.create": `{"name":"mine"}`,
	"helpdesk.categories.update": `{"name":"stolen"}`,
	"helpdesk.search":            `{"q":"ours"}`,

	"agents.create":               `{"name":"mine"}`,
	"agents.update":               `{"name":"stolen"}`,
	"agents.setRespondToChats":    `{"respondToChats":false}`,
	"agents.setTools":             `{"create_post":true}`,
	"agents.linkCannedResponses":  `{"cannedResponseIds":["can_01kzzzzzzzzzzzzzzzzzzzzzzz"]}`,
	"agents.unlinkCannedResponse": `{"cannedResponseId":"can_01kzzzzzzzzzzzzzzzzzzzzzzz"}`,
	"agents.testChat":             `{"messages":[{"from":"visitor","text":"hello"}]}`,
	"agents.test":                 `{"messages":[{"from":"visitor","text":"hello"}]}`,
	"cannedResponses.create":      `{"shortcut":"mine","title":"mine","body":"mine"}`,
	"cannedResponses.update":      `{"title":"stolen"}`,
	"cannedResponses.match":       `{"message":"ours"}`,

	"tasks.create":    `{"agentId":"agt_01kzzzzzzzzzzzzzzzzzzzzzzz","kind":"api","name":"mine","method":"GET","url":"https://example.com"}`,
	"tasks.update":    `{"name":"stolen"}`,
	"tasks.setApiKey": `{"key":"stolen"}`,

	"conversations.reply":       `{"text":"stolen"}`,
	"conversations.note":        `{"text":"stolen"}`,
	"conversations.setState":    `{"state":"resolved"}`,
	"conversations.assign":      `{"assigneeId":""}`,
	"conversations.tag":         `{"add":["stolen"]}`,
	"conversations.rateMessage": `{"messageId":"msg_01kzzzzzzzzzzzzzzzzzzzzzzz","rating":1}`,
	"conversations.link":        `{"personId":"stolen"}`,
	"conversations.typing":      `{"on":true}`,

	"sites.create": `{"name":"mine"}`,
	"sites.update": `{"name":"stolen"}`,
}

// ownOnly act on nothing that a caller names: they need no object of another
// team to be tested with. Lists are tested by what they show.
var ownOnly = strings.Fields(`posts.create posts.generate models.list me.get brand.get events.types auth.login auth.logout
	auth.session auth.changePassword apiKeys.create team.get team.update team.invite team.brand.get team.brand.update site.get site.update
	helpdesk.articles.create helpdesk.categories.create helpdesk.reindex agents.create cannedResponses.create tasks.create sites.create`)

// TestTenantMatrix calls every operation of the table with team A's credentials
// on team B's objects. The answer is 404, the same as for an object that does
// not exist, and nothing of B's changes or shows.
func TestTenantMatrix(t *testing.T) {
	in := start(t)
	b := in.populate(t, in.B)
	in.populate(t, in.A)
	sessionA := in.session(t, in.A)
	before := in.seen(t, in.B)
	cells := 0
	for _, o := range in.Table().Ops {
		if slices.Contains(ownOnly, o.Name) {
			continue
		}
		for _, call := range in.surfaces(o, sessionA) {
			cells++
			t.Run(o.Name+"/"+call.surface, func(t *testing.T) {
				if !o.Takes("id") && !o.Takes("slug") && o.Name != "posts.batch" {
					for what, id := range b {
						if got := call.do(t, id); strings.Contains(got, id) {
							t.Errorf("shows %s of the other team", what)
						}
					}
					return
				}
				object := b[objectOf(o.Name)]
				if object == "" {
					t.Fatalf("no object for %s: add it to populate, or the operation to ownOnly", o.Name)
				}
				got, absent := call.do(t, object), call.do(t, absentLike(object))
				got, absent = strings.ReplaceAll(got, object, "ID"), strings.ReplaceAll(absent, absentLike(object), "ID")
				if !strings.Contains(got, "not_found") || got != absent {
					t.Errorf("other team's object: %s\nabsent object: %s", got, absent)
				}
			})
		}
	}
	if after := in.seen(t, in.B); after != before {
		t.Errorf("team B changed:\n%s\n%s", before, after)
	}
	t.Logf("%d cells", cells)
}

// inBodies name objects of another team inside of an input.
var inBodies = map[string][]string{
	"agents.linkCannedResponses": {`{"id":"{{own agents}}","cannedResponseIds":["{{cannedResponses}}"]}`},
	"agents.create":              {`{"name":"n","cannedResponseIds":["{{cannedResponses}}"]}`},
	"agents.update":              {`{"id":"{{own agents}}","cannedResponseIds":["{{cannedResponses}}"]}`},
	"cannedResponses.match":      {`{"message":"ours","agentId":"{{agents}}"}`},
	"tasks.create":               {`{"agentId":"{{agents}}","kind":"api","name":"n","method":"GET","url":"https://example.com"}`},
	"tasks.list":                 {`{"agentId":"{{agents}}"}`},
	"tasks.runs":                 {`{"taskId":"{{tasks}}"}`},
	"helpdesk.articles.create":   {`{"title":"n","content":"x","categoryId":"{{helpdesk.categories}}"}`},
	"helpdesk.articles.update":   {`{"id":"{{own helpdesk.articles}}","categoryId":"{{helpdesk.categories}}"}`},
	"helpdesk.articles.list":     {`{"categoryId":"{{helpdesk.categories}}"}`},
	"conversations.assign":       {`{"id":"{{own conversations}}","assigneeId":"{{user}}"}`},
	"conversations.list":         {`{"assigneeId":"{{user}}"}`},
	"conversations.reply":        {`{"id":"{{own conversations}}","text":"x","cannedResponseId":"{{cannedResponses}}"}`},
	"posts.generate":             {`{"title":"n","generateContent":true,"sources":["{{posts}}"]}`},
}

// TestTenantInputs sends the ids of team B's objects where an operation on team
// A's own takes one. The answer is that for an id that names nothing.
func TestTenantInputs(t *testing.T) {
	in := start(t)
	theirs, ours := in.populate(t, in.B), in.populate(t, in.A)
	sessionA := in.session(t, in.A)
	before := in.seen(t, in.B)
	fill := func(body string, other func(string) string) string {
		return placeholder.ReplaceAllStringFunc(body, func(m string) string {
			name := strings.Trim(m, "{}")
			if own, ok := strings.CutPrefix(name, "own "); ok {
				return ours[own]
			}
			if theirs[name] == "" {
				t.Fatalf("no object for %s", name)
			}
			return other(theirs[name])
		})
	}
	for name, inputs := range inBodies {
		for _, input := range inputs {
			t.Run(name, func(t *testing.T) {
				answer := func(other func(string) string) string {
					a := in.procedure(t, name, sessionA, fill(input, other))
					return made.ReplaceAllString(volatile.ReplaceAllString(string(a.Body), ""), "")
				}
				got := answer(func(id string) string { return id })
				absent := answer(absentLike)
				for _, id := range theirs {
					got, absent = strings.ReplaceAll(got, id, "ID"), strings.ReplaceAll(absent, absentLike(id), "ID")
				}
				if got != absent {
					t.Errorf("other team's object: %s\nabsent object: %s", got, absent)
				}
			})
		}
	}
	if after := in.seen(t, in.B); after != before {
		t.Errorf("team B changed:\n%s\n%s", before, after)
	}
}

var (
	placeholder = regexp.MustCompile(`\{\{[^}]+\}\}`)
	// made is what differs between two objects made the same way.
	made = regexp.MustCompile(`"(id|slug|jobId|postId|createdAt|updatedAt|startedAt)":"[^"]*"|"(version|seq)":\d+`)
)

// TestTenantStreams subscribes to team B's objects with team A's session.
func TestTenantStreams(t *testing.T) {
	in := start(t)
	theirs := in.populate(t, in.B)
	sessionA := in.session(t, in.A)
	inputs := map[string]string{
		"jobs.watch":                 `{"id":"` + theirs["jobs"] + `"}`,
		"tasks.stream":               `{"id":"` + theirs["tasks"] + `"}`,
		"conversations.conversation": `{"id":"` + theirs["conversations"] + `"}`,
		"conversations.inbox":        `{}`,
		"jobs.feed":                  `{"lastEventId":"1"}`, // also jobs that are done
	}
	ofNone := []string{"conversations.inbox", "jobs.feed"} // they name no object
	for _, s := range in.Table().Streams {
		t.Run(s.Name, func(t *testing.T) {
			input, ok := inputs[s.Name]
			if !ok {
				t.Fatal("no input: add one")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, "GET", in.URL+"/svc-api/trpc/"+s.Name+"?input="+url.QueryEscape(`{"json":`+input+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+sessionA)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body := ""
			lines := bufio.NewScanner(res.Body)
			for lines.Scan() {
				body += lines.Text() + "\n"
				if strings.Contains(body, "serialized-error") && lines.Text() == "" {
					break
				}
			}
			if !slices.Contains(ofNone, s.Name) && !strings.Contains(body, "NOT_FOUND") {
				t.Errorf("%s", body)
			}
			for what, id := range theirs {
				if strings.Contains(body, id) && !strings.Contains(input, id) {
					t.Errorf("shows %s of the other team", what)
				}
			}
		})
	}
}

// TestScopeMatrix calls every operation with a key that has every scope but the
// needed ones, and every members' operation with a key.
func TestScopeMatrix(t *testing.T) {
	in := start(t)
	cells := 0
	for _, o := range in.Table().Ops {
		if o.Open || o.Session == 0 && o.Scope == 0 {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			cells++
			key, want := in.A.Key, "session_required"
			if o.Session == 0 {
				key, want = in.key(t, (op.AllScopes&^o.Scope).Names()), "insufficient_scope"
			}
			for _, call := range in.surfaces(o, key) {
				if got := call.do(t, kv.NewID("post")); !strings.Contains(got, want) {
					t.Errorf("%s: %s, want %s", call.surface, got, want)
				}
			}
		})
	}
	t.Logf("%d cells", cells)
}

// surfaceCall is one way to call an operation on an object.
type surfaceCall struct {
	surface string
	do      func(t *testing.T, id string) string
}

var volatile = regexp.MustCompile(`,?\\?"requestId\\?":\\?"[^"\\]*\\?"`)

// surfaces are all the ways in which o is offered, with team A's credential.
func (in *instance) surfaces(o *op.Op, credential string) []surfaceCall {
	body := func(id string) string { return strings.ReplaceAll(bodies[o.Name], "{{id}}", id) }
	key := in.A.Key
	if strings.HasPrefix(credential, "svc_") {
		key = credential
	}
	var calls []surfaceCall
	if o.Method != "" {
		calls = append(calls, surfaceCall{"rest", func(t *testing.T, id string) string {
			path := o.Path
			for _, p := range o.PathParams() {
				value := id
				if p == "n" {
					value = "1"
				}
				path = strings.Replace(path, "{"+p+"}", value, 1)
			}
			sent := body(id)
			if o.Method == http.MethodGet && sent != "" {
				var query map[string]string
				mustJSON(t, []byte(sent), &query)
				for name, value := range query {
					path += "?" + name + "=" + value
				}
				sent = ""
			}
			return volatile.ReplaceAllString(string(in.send(t, o.Method, "/svc-api/v1"+path, key, sent).Body), "")
		}})
	}
	if o.Tool != "" {
		calls = append(calls, surfaceCall{"mcp", func(t *testing.T, id string) string {
			return volatile.ReplaceAllString(in.tool(t, key, o, id, body(id)), "")
		}})
	}
	if o.Session > 0 {
		calls = append(calls, surfaceCall{"session", func(t *testing.T, id string) string {
			return volatile.ReplaceAllString(string(in.procedure(t, o.Name, credential, string(in.arguments(t, o, id, body(id)))).Body), "")
		}})
	}
	return calls
}

// arguments are the members of a body and those of the path in one object.
func (in *instance) arguments(t *testing.T, o *op.Op, id, body string) []byte {
	args := map[string]any{}
	if body != "" {
		mustJSON(t, []byte(body), &args)
	}
	for name, value := range map[string]any{"id": id, "slug": id, "n": 1} {
		if o.Takes(name) && (name != "slug" || strings.HasSuffix(o.Name, ".getBySlug")) {
			args[name] = value
		}
	}
	return encode(t, args)
}

func (in *instance) tool(t *testing.T, key string, o *op.Op, id, body string) string {
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, o.Tool, in.arguments(t, o, id, body))
	return string(in.send(t, "POST", "/svc-api/mcp", key, call, "Accept", "application/json, text/event-stream", "X-MCP-Toolsets", "all").Body)
}

// objectOf says which of a team's objects an operation is about: what populate
// has under the name, or under the longest part of it.
func objectOf(name string) string {
	switch name {
	case "auth.revokeSession":
		return "session"
	case "team.setRole", "team.remove":
		return "user"
	case "posts.getBySlug", "helpdesk.articles.getBySlug", "tasks.getRun", "tasks.cancelRun":
		return name
	case "agents.test":
		return "agents"
	}
	return name[:strings.LastIndexByte(name, '.')]
}

// absentLike is an id of the same kind that names nothing.
func absentLike(id string) string {
	prefix, _, isID := strings.Cut(id, "_")
	if !isID {
		return "no-such-slug"
	}
	return prefix + "_01kzzzzzzzzzzzzzzzzzzzzzzz"
}

// populate makes one object of each kind and returns their ids by noun.
func (in *instance) populate(t *testing.T, team daemon.First) map[string]string {
	t.Helper()
	token := in.session(t, team)
	session := func(name, body string) map[string]any {
		return in.procedure(t, name, token, body).JSON(t)
	}
	rest := func(method, path, body string, headers ...string) map[string]any {
		return in.send(t, method, "/svc-api/v1"+path, team.Key, body, headers...).JSON(t)
	}
	post := rest("POST", "/posts", `{"title":"Only `+team.TeamSlug+`","content":"<p>ours</p>"}`)
	rest("PATCH", "/posts/"+post["id"].(string), `{"content":"<p>ours, second</p>"}`)
	job := rest("POST", "/posts", `{"title":"Generated","generateContent":true,"model":"gpt-6-luna"}`)
	rest("GET", "/posts/jobs/"+job["jobId"].(string)+"?wait=30", "")
	media := rest("POST", "/media?name=dot.png", dot(t), "Content-Type", "image/png")
	category := rest("POST", "/helpdesk/categories", `{"name":"Only `+team.TeamSlug+`"}`)
	article := rest("POST", "/helpdesk/articles", `{"title":"Help `+team.TeamSlug+`","content":"<p>ours</p>"}`)
	rest("PATCH", "/helpdesk/articles/"+article["id"].(string), `{"content":"<p>ours, second</p>"}`)
	conversation := in.handedOver(t, team.SiteID, team.Key)
	gaps := in.until(t, team.Key, "/helpdesk/gaps", has)
	agent := firstID(session("agents.list", "{}"))
	canned := session("cannedResponses.create", `{"shortcut":"hi","title":"Ours","body":"ours"}`)
	task := session("tasks.create", `{"agentId":"`+agent+`","kind":"api","name":"Ours","method":"GET","url":"https://example.com"}`)
	run := session("tasks.testRun", `{"id":"`+task["id"].(string)+`"}`)
	return map[string]string{
		"helpdesk.articles": article["id"].(string), "helpdesk.articles.getBySlug": article["slug"].(string),
		"helpdesk.categories": category["id"].(string), "helpdesk.gaps": firstID(gaps), "agents": agent,
		"cannedResponses": canned["id"].(string), "tasks": task["id"].(string), "tasks.getRun": run["id"].(string),
		"tasks.cancelRun": run["id"].(string), "conversations": conversation, "sites": team.SiteID,
		"posts": post["id"].(string), "posts.getBySlug": post["slug"].(string), "jobs": job["jobId"].(string),
		"media": media["id"].(string), "events": firstID(rest("GET", "/events", "")),
		"apiKeys": firstID(session("apiKeys.list", "{}")), "user": firstID(session("team.members", "{}")),
		"session": firstID(session("auth.sessions", "{}")),
	}
}

// session signs in by the team's link, once, and returns the token.
func (in *instance) session(t *testing.T, team daemon.First) string {
	t.Helper()
	if in.sessions == nil {
		in.sessions = map[string]string{}
	}
	if in.sessions[team.TeamID] == "" {
		_, link, _ := strings.Cut(team.SignInLink, "token=")
		s := in.procedure(t, "auth.login", "", `{"linkToken":"`+link+`","newPassword":"correct horse battery"}`).JSON(t)
		in.sessions[team.TeamID] = s["token"].(string)
	}
	return in.sessions[team.TeamID]
}

// key makes a key of team A with the given scopes, once.
func (in *instance) key(t *testing.T, scopes []string) string {
	t.Helper()
	name := strings.Join(scopes, " ")
	if in.keys[name] != "" {
		return in.keys[name]
	}
	made := in.procedure(t, "apiKeys.create", in.session(t, in.A), string(encode(t, map[string]any{"name": "test", "scopes": scopes})))
	if made.StatusCode != http.StatusOK && made.StatusCode != http.StatusCreated {
		t.Fatalf("create key: %s %s", made.Status, made.Body)
	}
	if in.keys == nil {
		in.keys = map[string]string{}
	}
	in.keys[name] = made.JSON(t)["secret"].(string)
	return in.keys[name]
}

func (in *instance) readOnlyKey(t *testing.T) string { return in.key(t, []string{"read-only"}) }

// seen is everything that a team sees of its objects.
func (in *instance) seen(t *testing.T, team daemon.First) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{"/posts?limit=100&include=content", "/posts/jobs?limit=100", "/media", "/events?limit=100", "/brand",
		"/helpdesk/articles?limit=100&include=content", "/helpdesk/categories", "/helpdesk/gaps", "/conversations"} {
		all.Write(in.send(t, "GET", "/svc-api/v1"+path, team.Key, "").Body)
	}
	for _, name := range []string{"apiKeys.list", "team.members", "auth.sessions", "team.get", "agents.list", "cannedResponses.list", "tasks.list", "tasks.runs", "sites.list"} {
		body := in.procedure(t, name, in.session(t, team), "{}").Body
		all.Write(regexp.MustCompile(`"(lastUsedAt|updatedAt|expiresAt)":[^,}]*`).ReplaceAll(body, nil))
	}
	return all.String()
}

// dot is a PNG of one pixel.
func dot(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

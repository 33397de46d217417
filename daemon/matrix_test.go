package daemon_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/op"
)

// TestTenantMatrix calls every operation of the table, on every surface, with team
// A's credentials and team B's objects. The answer is the one for an object that
// does not exist, and nothing of B's changes or shows. So that a refusal is about
// the object and not about the input, each input has succeeded before with objects
// of the caller's own. An operation, or a member that names a further object, for
// which no such input is found fails by name.
func TestTenantMatrix(t *testing.T) {
	in := start(t, unlimited)
	m := &matrix{in: in, theirs: in.populate(t, in.B), ours: in.populate(t, in.A)}
	before := in.seen(t, in.B, m.theirs)
	for _, o := range in.Table().Ops {
		found, ok := m.reach(t, o)
		if !ok {
			continue
		}
		for _, i := range found.inputs {
			for _, call := range in.surfaces(o, in.A.Key, in.alive(t, in.A)) {
				t.Run(o.Name+"/"+call.surface, func(t *testing.T) { m.cell(t, call, found.noun, i) })
			}
		}
		for _, member := range membersOf(inputs(t, o)) {
			t.Run(o.Name+"/"+member, func(t *testing.T) { m.member(t, o, member, found) })
		}
	}
	after := in.seen(t, in.B, m.theirs)
	for i, what := range before {
		if what != after[i] {
			t.Errorf("team B changed:\n%s\n%s", what, after[i])
		}
	}
	t.Logf("%d cells; the objects of %d teams were used up", m.cells, m.teams)
}

func unlimited(c *daemon.Config) { c.Limits = append(c.Limits, "trpc=0") }

// matrix is what the cells share.
type matrix struct {
	in           *instance
	theirs, ours map[string]string // ids by noun
	cells        int

	// spare is a team whose objects are used up to see what works.
	spare  daemon.First
	spares map[string]string
	teams  int
}

// reached is how an operation works.
type reached struct {
	noun   string  // of the object that it is about, "" for none
	inputs []input // that succeed: the simplest, and the one that says most
	naming []input // that succeed and name further objects
}

// reach finds out how an operation works.
func (m *matrix) reach(t *testing.T, o *op.Op) (found reached, ok bool) {
	t.Helper()
	var last string
	for range 2 { // the second time with new objects: an operation before may have ended the first ones
		if m.spares == nil {
			m.renew(t)
		}
		if found, last = m.try(t, o); len(found.inputs) > 0 {
			return found, true
		}
		m.spares = nil
	}
	t.Errorf("%s could not be reached: %s", o.Name, last)
	return found, false
}

func (m *matrix) renew(t *testing.T) {
	t.Helper()
	m.teams++
	name := fmt.Sprintf("spare-%d", m.teams)
	var err error
	if m.spare, err = m.in.Bootstrap(t.Context(), name, name, name+"@example.test"); err != nil {
		t.Fatal(err)
	}
	m.spares = m.in.populate(t, m.spare)
}

// try calls an operation with the spare team's objects until it works.
func (m *matrix) try(t *testing.T, o *op.Op) (found reached, last string) {
	t.Helper()
	all := inputs(t, o)
	for _, noun := range m.nouns(o) {
		for n, i := range all {
			naming := len(i.members()) > 0 && len(found.naming) < 8
			if len(found.inputs) > 0 && !naming && n < len(all)-1 {
				continue
			}
			a, i := m.in.attempt(t, o, m.in.alive(t, m.spare), i, m.spares[noun], m.other(m.spares))
			if !works(o, a) {
				last = fmt.Sprintf("%s %s for %s", a.Status, a.Body, i)
				continue
			}
			m.end(t, o, m.spare, a)
			found.noun = noun
			if len(found.inputs) == 0 || n == len(all)-1 && i != found.inputs[0] {
				found.inputs = append(found.inputs, i)
			}
			if naming && a.StatusCode < 300 {
				found.naming = append(found.naming, i)
			}
		}
		if len(found.inputs) > 0 {
			return found, ""
		}
	}
	return found, last
}

// nouns are those that an operation may be about, the likeliest first.
func (m *matrix) nouns(o *op.Op) []string {
	if about(o) == "" {
		return []string{""}
	}
	group := o.Name[:strings.LastIndexByte(o.Name, '.')]
	if about(o) == "slug" {
		return []string{group + ".slug"}
	}
	return append([]string{group}, slices.Sorted(maps.Keys(m.spares))...)
}

// works reports an answer that is about the object: done, or not possible in the
// state that it is in. Whoever is let in without a credential may still be refused
// for what they say.
func works(o *op.Op, a answer) bool {
	return a.StatusCode < 300 || about(o) != "" && a.StatusCode == http.StatusConflict || o.Open && a.StatusCode == http.StatusUnauthorized
}

// end deletes what an operation has created, so that no team has too many.
func (m *matrix) end(t *testing.T, o *op.Op, team daemon.First, a answer) {
	t.Helper()
	if noun, ok := strings.CutSuffix(o.Name, ".create"); ok && a.StatusCode < 300 {
		if id, ok := a.JSON(t)["id"].(string); ok && m.in.Table().Lookup(noun+".delete") != nil {
			m.in.procedure(t, noun+".delete", m.in.alive(t, team), `{"id":"`+id+`"}`)
		}
	}
}

func (m *matrix) other(ids map[string]string) func(member string) string {
	return func(member string) string {
		if id := ids[nounOf(ids, member)]; id != "" {
			return id
		}
		return absentLike("any_")
	}
}

// cell is one operation on one surface.
func (m *matrix) cell(t *testing.T, call surfaceCall, noun string, i input) {
	m.cells++
	ask := func(id string) string {
		body, word := i.with(id, m.other(m.ours))
		return strings.ReplaceAll(call.do(t, body), word, "WORD")
	}
	if noun == "" {
		m.shows(t, ask(""), "")
		return
	}
	object := m.theirs[noun]
	got, absent := strings.ReplaceAll(ask(object), object, "ID"), strings.ReplaceAll(ask(absentLike(object)), absentLike(object), "ID")
	if !strings.Contains(got, "not_found") || got != absent {
		t.Errorf("%s\nother team's object: %s\nabsent object: %s", i, got, absent)
	}
	m.shows(t, got, object)
}

// member sends the id of each of team B's objects where an operation on team A's
// takes one.
func (m *matrix) member(t *testing.T, o *op.Op, member string, found reached) {
	token, tried := m.in.alive(t, m.in.A), 0
	for _, i := range found.naming {
		if !slices.Contains(i.members(), member) {
			continue
		}
		tried++
		for noun, id := range m.theirs {
			if strings.HasSuffix(noun, ".slug") {
				continue
			}
			m.cells++
			ask := func(id string) string {
				body, word := i.with(m.ours[found.noun], func(name string) string {
					if name == member {
						return id
					}
					return m.other(m.ours)(name)
				})
				a := m.in.procedure(t, o.Name, token, body)
				m.end(t, o, m.in.A, a)
				return strings.NewReplacer(word, "WORD", id, "ID").Replace(made.ReplaceAllString(volatile.ReplaceAllString(string(a.Body), ""), ""))
			}
			got, absent := ask(id), ask(absentLike(id))
			if got != absent {
				t.Errorf("%s\nother team's object: %s\nabsent object: %s", i, got, absent)
			}
			m.shows(t, got, id)
		}
	}
	if tried == 0 {
		t.Errorf("no input of %s that succeeds has %s", o.Name, member)
	}
}

// shows looks for team B's objects in an answer that asked for one of them at the
// most.
func (m *matrix) shows(t *testing.T, got, asked string) {
	t.Helper()
	for what, id := range m.theirs {
		if id != asked && strings.Contains(got, id) {
			t.Errorf("shows %s of the other team: %s", what, got)
		}
	}
}

func membersOf(all []input) (members []string) {
	for _, i := range all {
		for _, name := range i.members() {
			if !slices.Contains(members, name) {
				members = append(members, name)
			}
		}
	}
	return members
}

// made is what differs between two objects made the same way.
var made = regexp.MustCompile(`"(id|slug|jobId|postId|createdAt|updatedAt|startedAt)":"[^"]*"|"(version|seq)":\d+`)

// TestTenantStreams subscribes to all of team B's objects with team A's session,
// and to A's own, of which one at least is followed.
func TestTenantStreams(t *testing.T) {
	in := start(t)
	theirs, ours := in.populate(t, in.B), in.populate(t, in.A)
	for _, s := range in.Table().Streams {
		t.Run(s.Name, func(t *testing.T) {
			shown := func(input string) string {
				got := in.stream(t, s.Name, in.session(t, in.A), input)
				for what, id := range theirs {
					if strings.Contains(got, id) && !strings.Contains(input, id) {
						t.Errorf("shows %s of the other team: %s", what, got)
					}
				}
				return got
			}
			if !slices.Contains(requiredOf(s.InputType()), "id") {
				shown(`{}`)
				shown(`{"lastEventId":"1"}`) // also what is over
				return
			}
			followed := 0
			for noun, id := range ours {
				if !strings.Contains(shown(`{"id":"`+id+`"}`), "NOT_FOUND") {
					followed++
				}
				if got := shown(`{"id":"` + theirs[noun] + `"}`); !strings.Contains(got, "NOT_FOUND") {
					t.Errorf("%s of the other team: %s", noun, got)
				}
			}
			if followed == 0 {
				t.Errorf("%s could not be reached", s.Name)
			}
		})
	}
}

// stream is what a subscription sends within a moment.
func (in *instance) stream(t *testing.T, name, token, input string) (body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", in.URL+"/svc-api/trpc/"+name+"?input="+url.QueryEscape(`{"json":`+input+`}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		body += lines.Text() + "\n"
		if strings.Contains(body, "serialized-error") && lines.Text() == "" {
			break
		}
	}
	return body
}

// TestScopeMatrix calls every operation on every surface with nobody's credential
// and with a key that has every scope but the needed ones, every members' operation
// with a key, and all of them with the session of each role that may not.
func TestScopeMatrix(t *testing.T) {
	in := start(t)
	roles := map[string]string{}
	for _, role := range []string{"viewer", "operator", "editor", "admin"} {
		_, roles[role] = in.member(t, in.session(t, in.A), role, role)
	}
	cells := 0
	for _, o := range in.Table().Ops {
		if o.Open {
			continue
		}
		body, _ := inputs(t, o)[0].with(absentLike("any_"), absentLike)
		want := func(calls []surfaceCall, code string) {
			t.Helper()
			for _, call := range calls {
				cells++
				if got := call.do(t, body); !strings.Contains(got, code) {
					t.Errorf("%s over %s: %s, want %s", o.Name, call.surface, got, code)
				}
			}
		}
		for _, call := range in.surfaces(o, "", "") {
			cells++
			if got := call.do(t, body); !strings.Contains(got, "missing_key") && !strings.Contains(got, "session_required") {
				t.Errorf("%s over %s lets nobody in: %s", o.Name, call.surface, got)
			}
		}
		if o.Session > 0 {
			want(in.surfaces(o, in.A.Key, in.A.Key), "session_required")
		} else if o.Scope > 0 {
			key := in.key(t, (op.AllScopes &^ o.Scope).Names())
			want(onlyKeys(in.surfaces(o, key, "")), "insufficient_scope")
		}
		for name, token := range roles {
			switch role := op.ParseRole(name); {
			case role < o.Session:
				want(onlySessions(in.surfaces(o, "", token)), "role_required")
			case o.Scope&^role.Scopes() != 0:
				want(onlySessions(in.surfaces(o, "", token)), "insufficient_scope")
			}
		}
	}
	t.Logf("%d cells", cells)
}

func onlyKeys(calls []surfaceCall) []surfaceCall {
	return slices.DeleteFunc(calls, func(c surfaceCall) bool { return c.surface == "session" })
}

func onlySessions(calls []surfaceCall) []surfaceCall {
	return slices.DeleteFunc(calls, func(c surfaceCall) bool { return c.surface != "session" })
}

// surfaceCall is one way to call an operation.
type surfaceCall struct {
	surface string
	do      func(t *testing.T, body string) string
}

var volatile = regexp.MustCompile(`,?\\?"requestId\\?":\\?"[^"\\]*\\?"`)

// surfaces are all the ways in which o is offered: REST and MCP to a key, tRPC to
// a session.
func (in *instance) surfaces(o *op.Op, key, token string) []surfaceCall {
	calls := []surfaceCall{{"session", func(t *testing.T, body string) string {
		return volatile.ReplaceAllString(string(in.procedure(t, o.Name, token, body).Body), "")
	}}}
	if o.Method != "" {
		calls = append(calls, surfaceCall{"rest", func(t *testing.T, body string) string {
			path, rest := split(t, o, body)
			sent := ""
			if o.TakesBody() {
				sent = string(encode(t, rest))
			} else {
				path += "?" + asQuery(rest)
			}
			return volatile.ReplaceAllString(string(in.send(t, o.Method, v1+path, key, sent).Body), "")
		}})
	}
	if o.Tool != "" {
		calls = append(calls, surfaceCall{"mcp", func(t *testing.T, body string) string {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, o.Tool, body)
			a := in.send(t, "POST", "/svc-api/mcp", key, call, "Accept", "application/json, text/event-stream", "X-MCP-Toolsets", "all")
			return volatile.ReplaceAllString(string(a.Body), "")
		}})
	}
	return calls
}

// absentLike is an id of the same kind that names nothing.
func absentLike(id string) string {
	prefix, _, isID := strings.Cut(id, "_")
	if !isID {
		return "no-such-slug"
	}
	return prefix + "_01kzzzzzzzzzzzzzzzzzzzzzzz"
}

// session signs in by the team's link, once, and returns the token.
func (in *instance) session(t testing.TB, team daemon.First) string {
	t.Helper()
	if in.sessions == nil {
		in.sessions = map[string]string{}
	}
	if in.sessions[team.TeamID] == "" {
		_, link, _ := strings.Cut(team.SignInLink, "token=")
		a := in.procedure(t, "auth.login", "", `{"linkToken":"`+link+`","newPassword":"`+password+`"}`)
		token, ok := a.JSON(t)["token"].(string)
		if !ok {
			t.Fatalf("sign in: %s %s", a.Status, a.Body)
		}
		in.sessions[team.TeamID] = token
	}
	return in.sessions[team.TeamID]
}

// alive is session for tests that end sessions.
func (in *instance) alive(t testing.TB, team daemon.First) string {
	t.Helper()
	if in.procedure(t, "auth.session", in.session(t, team), "{}").StatusCode != http.StatusOK {
		s := in.procedure(t, "auth.login", "", `{"email":"`+team.OwnerEmail+`","password":"`+password+`"}`).JSON(t)
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

// passing is what changes by looking (when a session was last used, and the bytes
// that this takes), and the nonce of a prompt.
var passing = regexp.MustCompile(`"(lastUsedAt|expiresAt|bytes)":[^,}]*|[A-Z0-9]{16}`)

// seen is everything that a team sees by operations that only read, of its lists
// and of the objects: an answer each, empty where there is none.
func (in *instance) seen(t *testing.T, team daemon.First, objects map[string]string) (all []string) {
	t.Helper()
	of := func(member string) string { return objects[nounOf(objects, member)] }
	words := cmp.Or(objects["helpdesk.articles.slug"], "word")
	ask := func(o *op.Op, id string) (seen string) {
		list := inputs(t, o)
		i := max(0, slices.IndexFunc(list, func(i input) bool { return strings.Contains(string(i), `"limit"`) }))
		body, _ := input(strings.ReplaceAll(string(list[i]), "{{new}}", words)).with(id, of)
		if a := in.procedure(t, o.Name, in.session(t, team), body); a.StatusCode == http.StatusOK {
			seen = o.Name + " " + passing.ReplaceAllString(string(encode(t, a.JSON(t))), "") // maps in one order
		}
		return seen
	}
	for _, o := range in.Table().Ops {
		switch {
		case !o.ReadOnly() || o.Open:
		case about(o) == "":
			all = append(all, ask(o, ""))
		default:
			for _, noun := range slices.Sorted(maps.Keys(objects)) {
				all = append(all, ask(o, objects[noun]))
			}
		}
	}
	return all
}

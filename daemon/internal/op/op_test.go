package op_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// note is a small resource that the tests make operations for.
type note struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Version int    `json:"version"`
}

func (n note) ETagVersion() int { return n.Version }

type noteCreate struct {
	Text  string            `json:"text" minLength:"2" maxLength:"10"`
	Kind  string            `json:"kind,omitempty" enum:"a,b" default:"a"`
	Count int               `json:"count,omitempty" minimum:"1" maximum:"9"`
	Tags  []string          `json:"tags,omitempty" maxItems:"2"`
	Image *api.Image        `json:"image,omitempty"`
	Meta  map[string]string `json:"meta,omitempty"`
	At    api.Time          `json:"at,omitzero"`
}

type notePatch struct {
	ID      string             `json:"id"`
	IfMatch int                `json:"ifMatch,omitempty" minimum:"1"`
	Text    api.Opt[string]    `json:"text,omitzero" minLength:"2" maxLength:"10"`
	Body    api.Opt[string]    `json:"body,omitzero" null:"true"`
	Image   api.Opt[api.Image] `json:"image,omitzero" null:"true"`
}

type noteBatch struct {
	Items []noteCreate `json:"items" minItems:"1" maxItems:"3"`
}

type noteQuery struct {
	api.PageQuery
	Kind  string   `json:"kind,omitempty" enum:"a,b"`
	Since api.Time `json:"since,omitzero"`
}

type confidence struct {
	Password api.Secret `json:"password"`
}

type shown struct {
	ID      string       `json:"id"`
	Secrets []api.Secret `json:"secrets"`
}

var notes = kv.NewTable[note]("note")

type fixture struct {
	table *op.Table
	store kv.Store
	seen  *noteCreate
	patch *notePatch
	query *noteQuery
}

func open(t *testing.T, limits op.Limits) *fixture {
	t.Helper()
	store := optest.Store(t)
	f := &fixture{store: store}
	create := func(ctx context.Context, who op.Caller, in noteCreate) (note, error) {
		return op.Update(ctx, store, who, func(tx kv.Tx) (note, error) {
			f.seen = &in // one transaction at a time
			n := note{ID: kv.NewID("note"), Text: in.Text, Version: 1}
			return n, notes.Insert(tx, who.Team, n.ID, &n)
		})
	}
	f.table = op.NewTable(store, op.NewLimiter(limits), []op.Op{
		{Name: "notes.create", Method: "POST", Path: "/notes", Scope: op.PostsWrite, Status: 201, Doc: "Creates.", Do: op.Func(create)},
		{Name: "notes.batch", Method: "POST", Path: "/notes/batch", Scope: op.PostsWrite, Doc: "Creates many.",
			Do: op.Func(func(ctx context.Context, who op.Caller, in noteBatch) ([]note, error) {
				var out []note
				for i, item := range in.Items {
					n, err := create(ctx, who.Item(i), item)
					if err != nil {
						return nil, err
					}
					out = append(out, n)
				}
				return out, nil
			})},
		{Name: "notes.update", Method: "PATCH", Path: "/notes/{id}", Scope: op.PostsWrite, Doc: "Changes.",
			Do: op.Func(func(_ context.Context, _ op.Caller, in notePatch) (api.None, error) {
				f.patch = &in
				return api.None{}, nil
			})},
		{Name: "notes.list", Method: "GET", Path: "/notes", Scope: op.PostsRead, Doc: "Lists.",
			Do: op.Func(func(_ context.Context, _ op.Caller, in noteQuery) (api.None, error) {
				f.query = &in
				return api.None{}, nil
			})},
		{Name: "notes.get", Method: "GET", Path: "/notes/{id}", Scope: op.PostsRead, Doc: "Gets.",
			Do: op.Func(func(ctx context.Context, who op.Caller, in api.KeyRef) (n *note, err error) {
				err = store.View(ctx, func(tx kv.Tx) error { n, err = notes.Get(tx, who.Team, in.ID); return err })
				return n, err
			})},
		{Name: "notes.break", Method: "POST", Path: "/break", Doc: "Fails.",
			Do: op.Func(func(context.Context, op.Caller, api.None) (api.None, error) {
				return api.None{}, errors.New("the secret cause")
			})},
		{Name: "notes.own", Scope: op.PostsWrite, Audit: true, Doc: "Commits by itself.",
			Do: op.Func(func(ctx context.Context, who op.Caller, in noteCreate) (note, error) {
				n := note{ID: kv.NewID("note"), Text: in.Text, Version: 1}
				return n, store.Update(ctx, func(tx kv.Tx) error { return notes.Insert(tx, who.Team, n.ID, &n) })
			})},
		{Name: "notes.secret", Scope: op.PostsWrite, Doc: "Answers once.",
			Do: op.Func(func(ctx context.Context, who op.Caller, in noteCreate) (s shown, err error) {
				n, err := create(ctx, who, in)
				return shown{ID: n.ID, Secrets: []api.Secret{"svc_once"}}, err
			})},
		{Name: "notes.confide", Scope: op.PostsWrite, Doc: "Takes a secret.",
			Do: op.Func(func(ctx context.Context, who op.Caller, in confidence) (note, error) {
				return create(ctx, who, noteCreate{Text: in.Password.String()})
			})},
		{Name: "members.only", Session: op.Editor, Doc: "For members.",
			Do: op.Func(func(context.Context, op.Caller, api.None) (api.None, error) { return api.None{}, nil })},
	})
	return f
}

func keyCaller(scopes op.Scope) op.Caller {
	return op.Caller{Kind: op.Key, Credential: "key_1", Team: "team_a", Scopes: scopes}
}

func (f *fixture) call(name string, who op.Caller, body string, params ...op.Param) (op.Result, *api.Error) {
	o := f.table.Lookup(name)
	return f.table.Call(context.Background(), op.Request{Op: o, Caller: who, Args: op.Args{Body: []byte(body), Params: params, Query: o.ReadOnly()}})
}

func TestEveryFailingFieldIsReported(t *testing.T) {
	f := open(t, nil)
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	wide := `{"meta":{` + strings.Repeat(`"k":1,`, 1) + `"x":{}}`
	for _, tc := range []struct {
		name, body string
		status     int
		code       api.Code
		fields     []string // pointer code
	}{
		{"empty", `{}`, 422, "validation_failed", []string{"/text required"}},
		{"no body", ``, 422, "validation_failed", []string{"/text required"}},
		{"null title", `{"text":null}`, 422, "validation_failed", []string{"/text required"}},
		{"constraints together", `{"text":"x","kind":"c","count":10,"tags":["1","2","3"]}`, 422, "validation_failed",
			[]string{"/text too_short", "/kind enum", "/count too_large", "/tags too_many"}},
		{"length counts characters", `{"text":"ééééééééééé"}`, 422, "validation_failed", []string{"/text too_long"}},
		{"types and unknown together", `{"text":5,"nope":1,"tags":"x"}`, 422, "validation_failed",
			[]string{"/nope unknown_field", "/tags type", "/text type"}},
		{"only unknown", `{"text":"ok","teamId":"t","id":"x"}`, 422, "unknown_field", []string{"/id unknown_field", "/teamId unknown_field"}},
		{"other case", `{"TEXT":"ok"}`, 422, "validation_failed", []string{"/TEXT unknown_field", "/text required"}},
		{"long s folds to nothing", `{"text":"ok","\u017fount":1}`, 422, "unknown_field", []string{"/\u017fount unknown_field"}},
		{"nested", `{"text":"ok","image":{"url":"u","width":-1,"z":1}}`, 422, "validation_failed",
			[]string{"/image/width too_small", "/image/z unknown_field"}},
		{"bad time", `{"text":"ok","at":"yesterday"}`, 422, "validation_failed", []string{"/at format"}},
		{"list", `[]`, 422, "validation_failed", []string{" type"}},
		{"scalar", `5`, 422, "validation_failed", []string{" type"}},
		{"duplicate", `{"text":"ok","text":"no"}`, 400, "invalid_json", []string{"/text syntax"}},
		{"trailing", `{"text":"ok"} x`, 400, "invalid_json", nil},
		{"cut", `{"text":"ok"`, 400, "invalid_json", []string{" syntax"}},
		{"invalid UTF-8", "{\"text\":\"o\xff\"}", 400, "invalid_json", []string{"/text syntax"}},
		{"lone surrogate", `{"text":"\ud800x"}`, 400, "invalid_json", []string{"/text syntax"}},
		{"deep", `{"meta":` + deep + `}`, 400, "invalid_json", nil},
		{"cut in the middle of an object", wide, 400, "invalid_json", []string{" syntax"}},
		{"wide", `{` + strings.TrimSuffix(manyMembers(3000), ",") + `}`, 400, "invalid_json", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, e := f.call("notes.create", keyCaller(op.AllScopes), tc.body)
			if e == nil {
				t.Fatal("was accepted")
			}
			var got []string
			for _, fe := range e.Errors {
				got = append(got, fe.Pointer+" "+fe.Code)
				if strings.Contains(fe.Message, "yesterday") {
					t.Errorf("message echoes the value: %s", fe.Message)
				}
			}
			if e.Status != tc.status || e.Code != tc.code || tc.fields != nil && !cmp.Equal(got, tc.fields) {
				t.Errorf("got %d %s %q, want %d %s %q", e.Status, e.Code, got, tc.status, tc.code, tc.fields)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return b.String()
}

func TestDefaultsAndParameters(t *testing.T) {
	f := open(t, nil)
	if _, e := f.call("notes.create", keyCaller(op.AllScopes), `{"text":"ok"}`); e != nil || f.seen.Kind != "a" {
		t.Fatalf("error %v, input %+v", e, f.seen)
	}
	_, e := f.call("notes.list", keyCaller(op.AllScopes), "", op.Param{Name: "kind", Value: "b"}, op.Param{Name: "since", Value: "2026-01-02T03:04:05Z"})
	if e != nil || f.query.Limit != 20 || f.query.Order != "desc" || f.query.Kind != "b" || f.query.Since.String() != "2026-01-02T03:04:05.000Z" {
		t.Fatalf("error %v, query %+v", e, f.query)
	}
	for _, tc := range []struct {
		name, value string
		code        api.Code
	}{
		{"limit", "0x", "invalid_parameter"}, {"limit", "101", "invalid_parameter"}, {"limit", "-1", "invalid_parameter"},
		{"kind", "z", "invalid_parameter"}, {"since", "soon", "invalid_parameter"}, {"foo", "1", "unknown_parameter"},
	} {
		_, e := f.call("notes.list", keyCaller(op.AllScopes), "", op.Param{Name: tc.name, Value: tc.value})
		if e == nil || e.Status != 400 || e.Code != tc.code || e.Pointer() != tc.name {
			t.Errorf("%s=%s: %+v", tc.name, tc.value, e)
		}
	}
	twice := op.Param{Name: "limit", Value: "5"}
	if _, e := f.call("notes.list", keyCaller(op.AllScopes), "", twice, twice); e == nil || e.Errors[0].Code != "duplicate" {
		t.Errorf("limit given twice: %+v", e)
	}
}

func TestMergePatchTellsAbsentFromNull(t *testing.T) {
	f := open(t, nil)
	id := op.Param{Name: "id", Value: "n1"}
	if _, e := f.call("notes.update", keyCaller(op.AllScopes), `{"body":null}`, id); e != nil || !f.patch.Body.Null || f.patch.Text.Set {
		t.Fatalf("error %v, patch %+v", e, f.patch)
	}
	for body, want := range map[string]string{
		`{"text":null}`:                    "/text type",
		`{"text":"x"}`:                     "/text too_short",
		`{"id":"other"}`:                   "/id unknown_field",
		`{"image":{"url":"u","nope":1}}`:   "/image/nope unknown_field",
		`{"image":{"url":"u","width":-1}}`: "/image/width too_small",
	} {
		_, e := f.call("notes.update", keyCaller(op.AllScopes), body, id)
		if e == nil || e.Status != 422 || e.Errors[0].Pointer+" "+e.Errors[0].Code != want {
			t.Errorf("%s: %+v, want %s", body, e, want)
		}
	}
}

func TestWhoMayCall(t *testing.T) {
	f := open(t, nil)
	member := op.Caller{Kind: op.Session, Credential: "s", Team: "team_a"}
	viewer, editor := member, member
	viewer.Role, editor.Role = op.Viewer, op.Editor
	for _, tc := range []struct {
		name string
		op   string
		who  op.Caller
		code api.Code
	}{
		{"nobody", "notes.list", op.Caller{}, api.CodeMissingKey},
		{"scope missing", "notes.create", keyCaller(op.PostsRead), api.CodeInsufficientScope},
		{"key for members only", "members.only", keyCaller(op.AllScopes), api.CodeSessionRequired},
		{"role too low", "members.only", viewer, api.CodeRoleRequired},
		{"role high enough", "members.only", editor, ""},
		{"key with scope", "notes.list", keyCaller(op.PostsRead), ""},
	} {
		_, e := f.call(tc.op, tc.who, "")
		if (e == nil) != (tc.code == "") || e != nil && e.Code != tc.code {
			t.Errorf("%s: %v, want %q", tc.name, e, tc.code)
		}
	}
	if _, e := f.call("notes.create", keyCaller(op.PostsRead), ""); e.RequiredScope != "posts:write" {
		t.Errorf("required scope is %q", e.RequiredScope)
	}
}

func TestCausesStayInside(t *testing.T) {
	f := open(t, nil)
	_, e := f.call("notes.break", keyCaller(0), "")
	if e == nil || e.Status != 500 || e.Code != api.CodeInternal || strings.Contains(e.Error(), "secret") {
		t.Errorf("got %+v", e)
	}
	_, e = f.call("notes.get", keyCaller(op.AllScopes), "", op.Param{Name: "id", Value: "note_x"})
	if e == nil || e.Status != 404 || e.Code != api.CodeNotFound {
		t.Errorf("missing record: %+v", e)
	}
}

func TestIdempotencyKey(t *testing.T) {
	f := open(t, nil)
	send := func(name, key, body, team string) (op.Result, *api.Error) {
		who := keyCaller(op.AllScopes)
		who.Team = team
		return f.table.Call(context.Background(), op.Request{Op: f.table.Lookup(name), Caller: who, IdempotencyKey: key, Args: op.Args{Body: []byte(body)}})
	}
	first, e := send("notes.create", "k", `{"text":"one"}`, "team_a")
	if e != nil || first.Replayed {
		t.Fatalf("first: %+v %v", first, e)
	}
	want, err := op.Encode(nil, first.Value)
	if err != nil {
		t.Fatal(err)
	}
	again, e := send("notes.create", "k", `{"text":"one"}`, "team_a")
	if e != nil || !again.Replayed || string(again.JSON) != string(want) || again.Status != 201 || again.Version != 1 {
		t.Errorf("repeated: %+v %v", again, e)
	}
	if _, e := send("notes.create", "k", `{"text":"two"}`, "team_a"); e == nil || e.Code != api.CodeIdempotencyKeyReused {
		t.Errorf("other body: %+v", e)
	}
	if other, e := send("notes.create", "k", `{"text":"two"}`, "team_b"); e != nil || other.Replayed {
		t.Errorf("other team: %+v %v", other, e)
	}
	if _, e := send("notes.create", strings.Repeat("k", 256), `{"text":"two"}`, "team_a"); e == nil || e.Status != 400 {
		t.Errorf("long key: %+v", e)
	}
	batch := `{"items":[{"text":"b1"},{"text":"b2"}]}`
	one, e1 := send("notes.batch", "kb", batch, "team_a")
	two, e2 := send("notes.batch", "kb", batch, "team_a")
	if e1 != nil || e2 != nil || !cmp.Equal(one.Value, two.Value) {
		t.Errorf("batch: %v %v, then %v %v", one.Value, e1, two.Value, e2)
	}
}

// An operation that commits by itself loses neither its answer nor its note.
func TestNothingThatIsOwedIsLost(t *testing.T) {
	f := open(t, nil)
	var noted []string
	f.table.Audit = func(_ kv.Tx, _ *op.Caller, action, target string) error {
		noted = append(noted, action+" "+target)
		return nil
	}
	send := func(name, body string) (op.Result, *api.Error) {
		return f.table.Call(context.Background(), op.Request{Op: f.table.Lookup(name), Caller: keyCaller(op.AllScopes), IdempotencyKey: name, Args: op.Args{Body: []byte(body)}})
	}
	first, e := send("notes.own", `{"text":"one"}`)
	if e != nil {
		t.Fatal(e)
	}
	made := first.Value.(note)
	want, err := op.Encode(nil, made)
	if err != nil {
		t.Fatal(err)
	}
	again, e := send("notes.own", `{"text":"one"}`)
	if e != nil || !again.Replayed || string(again.JSON) != string(want) {
		t.Errorf("repeated: %s %v", again.JSON, e)
	}
	if _, e := send("notes.own", `{"text":"two"}`); e == nil || e.Code != api.CodeIdempotencyKeyReused {
		t.Errorf("other body: %+v", e)
	}
	if !cmp.Equal(noted, []string{"notes.own " + made.ID}) {
		t.Errorf("noted %v", noted)
	}
}

// What holds a secret leaves nothing under an idempotency key: not the answer, and
// no hash of a request by which a password could be guessed.
func TestSecretsAreNotKept(t *testing.T) {
	f := open(t, nil)
	for name, body := range map[string]string{"notes.secret": `{"text":"one"}`, "notes.confide": `{"password":"correct horse"}`} {
		o := f.table.Lookup(name)
		for range 2 {
			r := op.Request{Op: o, Caller: keyCaller(op.AllScopes), IdempotencyKey: name, Args: op.Args{Body: []byte(body)}}
			if res, e := f.table.Call(context.Background(), r); e != nil || res.Replayed {
				t.Errorf("%s: %+v %v", name, res, e)
			}
		}
		if o.KeepsAnswer() {
			t.Errorf("%s offers to keep its answer", name)
		}
	}
	err := f.store.View(context.Background(), func(tx kv.Tx) error {
		return tx.Scan(kv.Prefix(kv.Key("idem")), func(key, _ []byte) error {
			t.Errorf("%q is kept", key)
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// An agent is a caller whose scopes and limits count.
func TestAgentIsLimited(t *testing.T) {
	f := open(t, op.Limits{"write": 1})
	agent := op.Caller{Kind: op.Agent, Credential: "agt_1", Team: "team_a", Scopes: op.PostsWrite}
	if _, e := f.call("members.only", agent, `{}`); e == nil || e.Code != api.CodeSessionRequired {
		t.Errorf("for members: %v", e)
	}
	if _, e := f.call("notes.list", agent, ""); e == nil || e.RequiredScope != "posts:read" {
		t.Errorf("without the scope: %v", e)
	}
	if _, e := f.call("notes.create", agent, `{"text":"one"}`); e != nil {
		t.Error(e)
	}
	if _, e := f.call("notes.create", agent, `{"text":"two"}`); e == nil || e.Code != api.CodeRateLimited {
		t.Errorf("beyond the limit: %v", e)
	}
}

func TestRacingRepeatsRunOnce(t *testing.T) {
	f := open(t, nil)
	var wg sync.WaitGroup
	ids := make([]string, 20)
	for i := range ids {
		wg.Go(func() {
			res, e := f.table.Call(context.Background(), op.Request{Op: f.table.Lookup("notes.create"), Caller: keyCaller(op.AllScopes),
				IdempotencyKey: "race", Args: op.Args{Body: []byte(`{"text":"one"}`)}})
			if e != nil {
				t.Error(e)
				return
			}
			var n note
			body := res.JSON
			if !res.Replayed {
				body, _ = op.Encode(nil, res.Value)
			}
			if err := op.Decode(body, &n); err != nil {
				t.Error(err)
			}
			ids[i] = n.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("two notes were made: %s and %s", ids[0], id)
		}
	}
}

func TestRateLimit(t *testing.T) {
	f := open(t, op.Limits{"read": 3})
	list := func(credential string) *api.Error {
		who := keyCaller(op.AllScopes)
		who.Credential = credential
		_, e := f.call("notes.list", who, "")
		return e
	}
	for range 3 {
		if e := list("key_1"); e != nil {
			t.Fatal(e)
		}
	}
	if e := list("key_1"); e == nil || e.Status != 429 || e.RetryAfter < 1 || !e.Retryable {
		t.Errorf("fourth: %+v", e)
	}
	if e := list("key_2"); e != nil {
		t.Errorf("another key: %v", e)
	}
	if _, e := f.call("notes.create", keyCaller(op.AllScopes), `{"text":"ok"}`); e != nil {
		t.Errorf("another class: %v", e)
	}
}

func TestCursorBelongsToItsList(t *testing.T) {
	c := op.Cursor("team_a\x00posts", []byte("next"))
	if got, err := op.ParseCursor("team_a\x00posts", c); err != nil || string(got) != "next" {
		t.Fatalf("%q %v", got, err)
	}
	for _, bad := range []struct{ scope, cursor string }{{"team_b\x00posts", c}, {"team_a\x00posts", c[:8]}, {"team_a\x00posts", "!!"}, {"team_a\x00posts", "AAAAAAAAAAAAAAAAAAAA"}} {
		if _, err := op.ParseCursor(bad.scope, bad.cursor); err == nil {
			t.Errorf("%q accepted for %q", bad.cursor, bad.scope)
		}
	}
}

func FuzzInput(f *testing.F) {
	for _, s := range []string{`{}`, `{"text":"ok"}`, `{"text":"ok","image":{"url":"x"}}`, `[`, `{"meta":{"a":"b"}}`, `{"at":"2026-01-01T00:00:00Z"}`} {
		f.Add([]byte(s))
	}
	var got *noteCreate
	table := op.NewTable(nil, op.NewLimiter(nil), []op.Op{{Name: "n.create", Method: "POST", Path: "/n", Doc: "x",
		Do: op.Func(func(_ context.Context, _ op.Caller, in noteCreate) (api.None, error) {
			got = &in
			return api.None{}, nil
		})}})
	f.Fuzz(func(t *testing.T, body []byte) {
		got = nil
		_, e := table.Call(context.Background(), op.Request{Op: table.Lookup("n.create"), Caller: keyCaller(op.AllScopes), Args: op.Args{Body: body}})
		if e == nil && (len(got.Text) < 2 || len([]rune(got.Text)) > 10 || len(got.Tags) > 2) {
			t.Errorf("%q was accepted as %+v", body, got)
		}
		if e != nil && e.Status != 400 && e.Status != 422 {
			t.Errorf("%q gave %v", body, e)
		}
	})
}

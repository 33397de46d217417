package crud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Toy is an object of the tests, with a member of each kind.
type Toy struct {
	ID        string   `json:"id"`
	Name      string   `json:"name" doc:"What it is called."`
	Colour    string   `json:"colour"`
	Parts     []string `json:"parts"`
	Notes     string   `json:"notes,omitempty"`
	OwnerID   string   `json:"ownerId,omitempty"`
	Wheels    int      `json:"wheels"`
	Loud      bool     `json:"loud"`
	Version   int      `json:"version"`
	UpdatedAt api.Time `json:"updatedAt"`
}

type toyCreate struct {
	Name    string   `json:"name" minLength:"1" maxLength:"120"`
	Colour  string   `json:"colour" enum:"RED,BLUE"`
	Parts   []string `json:"parts,omitempty"`
	Notes   string   `json:"notes,omitempty" maxLength:"2000"`
	OwnerID string   `json:"ownerId,omitempty"`
	Wheels  int      `json:"wheels,omitempty"`
	Loud    bool     `json:"loud,omitempty"`
}

type toyPatch struct {
	api.Ref
	Name   api.Opt[string]   `json:"name,omitzero"`
	Colour api.Opt[string]   `json:"colour,omitzero" enum:"RED,BLUE" null:"true"`
	Parts  api.Opt[[]string] `json:"parts,omitzero" null:"true"`
	Wheels api.Opt[int]      `json:"wheels,omitzero"`
	Loud   api.Opt[bool]     `json:"loud,omitzero"`
}

type toyQuery struct {
	api.PageQuery
	Colour string `json:"colour,omitempty" enum:"RED,BLUE"`
}

// toys is a daemon that keeps toys in memory. What it was asked for is in calls.
type toys struct {
	all   []Toy
	calls []string
}

func (s *toys) note(name string, in any) {
	b, _ := json.Marshal(in)
	s.calls = append(s.calls, name+" "+string(b))
}

func (s *toys) List(_ context.Context, q toyQuery, _ ...sdk.CallOption) (*api.Page[Toy], error) {
	s.note("list", q)
	from, _ := strconv.Atoi(q.Cursor)
	page := api.Page[Toy]{}
	if n := len(s.all); q.Total && q.Colour == "" {
		page.Total = &n
	}
	for i := from; i < len(s.all); i++ {
		if q.Colour != "" && s.all[i].Colour != q.Colour {
			continue
		}
		if len(page.Data) == q.Limit {
			page.HasMore, page.NextCursor = true, strconv.Itoa(i)
			break
		}
		page.Data = append(page.Data, s.all[i])
	}
	return &page, nil
}

func (s *toys) Get(_ context.Context, id string, _ ...sdk.CallOption) (*Toy, error) {
	s.note("get", id)
	i := slices.IndexFunc(s.all, func(t Toy) bool { return t.ID == id })
	if i < 0 {
		return nil, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such toy.")
	}
	return &s.all[i], nil
}

func (s *toys) Create(_ context.Context, in toyCreate, _ ...sdk.CallOption) (*Toy, error) {
	s.note("create", in)
	return &Toy{ID: "toy_new", Name: in.Name, Colour: in.Colour, Parts: in.Parts, Version: 1}, nil
}

func (s *toys) Update(ctx context.Context, p toyPatch, _ ...sdk.CallOption) (*Toy, error) {
	s.note("update", p)
	return s.Get(ctx, p.ID)
}

func (s *toys) Delete(_ context.Context, ref api.Ref, _ ...sdk.CallOption) error {
	s.note("delete", ref)
	return nil
}

// run is one command line of svcctl with the noun toy. It returns what went to
// standard output and to standard error.
func (s *toys) run(t *testing.T, stdin string, args ...string) (out, said string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	io := &terminal.IO{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr}
	a := kit.New(io, func(name string) string { return map[string]string{"SVC_CONFIG_DIR": t.TempDir()}[name] }, "test")
	noun := crud.Noun[Toy, toyCreate, toyPatch, toyQuery]{
		Name: "toy", Kind: "toy", Short: "Toys", Example: "train", Prefix: "toy_", By: "name",
		Connect: func(*kit.App) (crud.Service[Toy, toyCreate, toyPatch, toyQuery], error) { return s, nil },
		Columns: crud.Columns[Toy]("name~ colour wheels loud +parts +age=updatedAt id"),
		Refs:    map[string]crud.Lookup{"ownerId": {Flag: "owner", Help: "whose it is", Find: func(_ context.Context, _ *kit.App, ref string) (string, error) { return "usr_" + ref, nil }}},
	}
	root := &cobra.Command{Use: "svcctl", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().StringVarP(&a.Flags.Output, "output", "o", "", "")
	root.PersistentFlags().BoolVarP(&a.Flags.Yes, "yes", "y", false, "")
	root.PersistentFlags().StringVar(&a.Flags.JQ, "jq", "", "")
	root.SetOut(&stdout)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return kit.Usage("%v", err) })
	root.AddCommand(noun.Command(a, noun.NewAct(a, crud.Act[Toy]{Verb: "wind", Short: "Wind a toy up", Done: "wound", Do: func(ctx context.Context, _ *kit.App, ref api.Ref, _ kit.WriteFlags) (*Toy, error) {
		s.note("wind", ref)
		return s.Get(ctx, ref.ID)
	}})))
	root.SetArgs(args)
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func trains(n int) *toys {
	s := &toys{}
	for i := range n {
		s.all = append(s.all, Toy{ID: fmt.Sprintf("toy_%d", i), Name: fmt.Sprintf("train %d", i), Colour: "RED", Wheels: i})
	}
	return s
}

// last is the last call, or the one before it where that only fetched.
func (s *toys) last() string {
	for _, call := range slices.Backward(s.calls) {
		if !strings.HasPrefix(call, "get") {
			return call
		}
	}
	return ""
}

func TestCreateAndUpdateSendWhatTheFlagsSay(t *testing.T) {
	file := "name: boat\ncolour: BLUE\nwheels: 0\n"
	for _, test := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"create", "--name", "car", "--colour", "red", "--part", "door, left", "--part", "hood", "--wheels", "4", "--loud"},
			`create {"name":"car","colour":"RED","parts":["door, left","hood"],"wheels":4,"loud":true}`},
		{"long\nnotes", []string{"create", "--name", "@car", "--colour", "BLUE", "--notes", "@-", "--owner", "ada"},
			`create {"name":"@car","colour":"BLUE","notes":"long\nnotes","ownerId":"usr_ada"}`},
		{file, []string{"create", "-f", "-", "--wheels", "2"}, `create {"name":"boat","colour":"BLUE","wheels":2}`},
		{"", []string{"update", "toy_1", "--name", "new", "--loud=false", "--if-match", `"7"`}, `update {"id":"toy_1","ifMatch":7,"name":"new","loud":false}`},
		{"", []string{"patch", "train 1", "--colour", "", "--part", ""}, `update {"id":"toy_1","colour":null,"parts":null}`},
		{"", []string{"update", "https://svc.example/toys/toy_1", "--wheels", "9"}, `update {"id":"toy_1","wheels":9}`},
		{"", []string{"delete", "TRAIN 1", "--yes", "--if-match", "3"}, `delete {"id":"toy_1","ifMatch":3}`},
		{"", []string{"wind", "train 0"}, `wind {"id":"toy_0"}`},
	} {
		s := trains(2)
		if _, said, err := s.run(t, test.stdin, append([]string{"toy"}, test.args...)...); err != nil || s.last() != test.want {
			t.Errorf("%q called %q, %v, want %q; it said %q", test.args, s.last(), err, test.want, said)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		args []string
		exit int
		want string
	}{
		{[]string{"create"}, kit.ExitUsage, "a toy needs --name and --colour"},
		{[]string{"create", "--name", "x", "--colour", "green"}, kit.ExitUsage, `--colour must be red or blue, not "green"`},
		{[]string{"create", "--name", "x", "--colour", "red", "--wheels", "many"}, kit.ExitUsage, `--wheels must be a whole number, not "many"`},
		{[]string{"create", "--name", "x", "--colour", "red", "extra"}, kit.ExitUsage, "takes 0 arguments"},
		{[]string{"update", "toy_1"}, kit.ExitUsage, "say what to change"},
		{[]string{"update", "toy_1", "--name", "x", "--if-match", "now"}, kit.ExitUsage, "--if-match takes a version"},
		{[]string{"update"}, kit.ExitUsage, "needs the toy's name or id"},
		{[]string{"get", "boat"}, kit.ExitNotFound, "there is no toy boat"},
		{[]string{"get", "twin"}, kit.ExitUsage, "several toys are named twin; use an id"},
		{[]string{"delete", "toy_1"}, kit.ExitUsage, "needs --yes"},
		{[]string{"list", "--limit", "0"}, kit.ExitUsage, "--limit must be 1 or more"},
	} {
		s := trains(2)
		s.all = append(s.all, Toy{ID: "toy_8", Name: "twin"}, Toy{ID: "toy_9", Name: "twin"})
		_, _, err := s.run(t, "", append([]string{"toy"}, test.args...)...)
		f, ok := errors.AsType[*kit.Failure](err)
		if !ok || f.Exit != test.exit || !strings.Contains(f.Message, test.want) {
			t.Errorf("%q: %v, want exit %d and %q", test.args, err, test.exit, test.want)
		}
		if call := s.last(); strings.HasPrefix(call, "create") || strings.HasPrefix(call, "update") || strings.HasPrefix(call, "delete") {
			t.Errorf("%q called %s", test.args, call)
		}
	}
}

// TestLists: pages are as large as what will be shown, and a person reads that
// there is more, and how to see it.
func TestLists(t *testing.T) {
	for _, test := range []struct {
		args        []string
		shown       int
		calls       []string
		first, more string
	}{
		{[]string{}, 30, []string{`list {"limit":30,"total":true}`}, "train 0", "30 of 230: --all shows all, --cursor 30 goes on"},
		{[]string{"--limit", "150"}, 150, []string{`list {"limit":100,"total":true}`, `list {"limit":50,"cursor":"100"}`}, "train 0", "150 of 230: --all shows all, --cursor 150 goes on"},
		{[]string{"--cursor", "225"}, 5, []string{`list {"limit":30,"cursor":"225","total":true}`}, "train 225", ""},
		{[]string{"--all"}, 230, []string{`list {"limit":100}`, `list {"limit":100,"cursor":"100"}`, `list {"limit":100,"cursor":"200"}`}, "train 0", ""},
		{[]string{"--filter", "name~9", "--limit", "3"}, 3, []string{`list {"limit":100}`}, "train 9", "3 shown, there are more: --all shows all"},
		{[]string{"--colour", "red", "--limit", "1"}, 1, []string{`list {"limit":1,"total":true,"colour":"RED"}`}, "train 0", "1 shown, there are more"},
		{[]string{"--limit", "2", "-o", "ids"}, 1, []string{`list {"limit":2}`}, "toy_0", ""},
	} {
		s := trains(230)
		out, said, err := s.run(t, "", append([]string{"toy", "list"}, test.args...)...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != test.shown+1 || !strings.HasPrefix(lines[min(1, len(lines)-test.shown)], test.first) && !strings.HasPrefix(lines[0], test.first) {
			t.Errorf("%q showed %d lines that begin with %q, want %d records from %q", test.args, len(lines), lines[:2], test.shown, test.first)
		}
		if !slices.Equal(s.calls, test.calls) {
			t.Errorf("%q called %q, want %q", test.args, s.calls, test.calls)
		}
		if !strings.Contains(said, test.more) || test.more == "" && said != "" {
			t.Errorf("%q said %q, want %q", test.args, said, test.more)
		}
	}
}

// TestHelp: a flag says what the contract says, and each verb has an example that
// can be typed.
func TestHelp(t *testing.T) {
	for verb, wants := range map[string][]string{
		"create": {"--name string", "what it is called", "--colour", "colour: red or blue", "--wheels int", "--loud", "--part list", "may be repeated", "--notes", "@file or @- reads it", "--owner", "whose it is",
			"--dry-run", "--idempotency-key", "-f, --file", "svcctl toy create --name train --colour red"},
		"update": {"--if-match", "--dry-run", "--idempotency-key", "svcctl toy update train -f toy.yaml --dry-run"},
		"delete": {"--if-match", "--dry-run", "svcctl toy delete train --yes"},
		"list":   {"--limit", "--all", "--cursor", "--order", "--sort", "--filter", "--colour", "svcctl toy list --limit 5 -o json"},
		"wind":   {"--if-match", "svcctl toy wind train"},
	} {
		out, _, err := trains(0).run(t, "", "toy", verb, "--help")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("the help of %s lacks %q:\n%s", verb, want, out)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"toy", "get", ""}, "train 0\ntrain 1\n:4\n"},
		{[]string{"toy", "delete", "train 1"}, "train 1\n:4\n"},
		{[]string{"toy", "wind", "x"}, ":4\n"},
		{[]string{"toy", "create", "--colour", ""}, "red\nblue\n:4\n"},
	} {
		out, _, err := trains(2).run(t, "", append([]string{cobra.ShellCompRequestCmd}, test.args...)...)
		if err != nil || out != test.want {
			t.Errorf("%q offers %q, %v; want %q", test.args, out, err, test.want)
		}
	}
}

// TestChangedIsShown: the object is shown after a change, and talk is kept apart
// from it.
func TestChangedIsShown(t *testing.T) {
	out, said, err := trains(2).run(t, "", "toy", "update", "train 1", "--name", "x", "--jq", ".id")
	if err != nil || out != "toy_1\n" || said != "changed train 1\n" {
		t.Errorf("got %q and %q, %v", out, said, err)
	}
	out, said, err = trains(2).run(t, "", "toy", "delete", "train 1", "-y")
	if err != nil || out != "" || said != "deleted train 1\n" {
		t.Errorf("got %q and %q, %v", out, said, err)
	}
}

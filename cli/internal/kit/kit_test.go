package kit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

// run is an App with what it wrote.
type run struct {
	*kit.App
	out, said *bytes.Buffer
}

func newRun(t *testing.T, stdin string, env map[string]string) *run {
	t.Helper()
	var out, said bytes.Buffer
	io := &terminal.IO{In: strings.NewReader(stdin), Out: &out, Err: &said}
	dir := t.TempDir()
	a := kit.New(io, func(name string) string {
		if name == "SVC_CONFIG_DIR" {
			return dir
		}
		return env[name]
	}, "test")
	return &run{a, &out, &said}
}

// TestChangesAmongFlags: +name and -name are told from flags and their values,
// wherever they are.
func TestChangesAmongFlags(t *testing.T) {
	for _, test := range []struct {
		args          []string
		args2, change string
		output        string
		fails         string
	}{
		{[]string{"conv", "+vip", "-late"}, "conv", "+vip -late", "", ""},
		{[]string{"conv", "+vip", "+late", "-o", "json", "--jq", ".tags"}, "conv", "+vip +late", "json", ""},
		{[]string{"-o", "json", "+a", "conv", "-old"}, "conv", "+a -old", "json", ""},
		{[]string{"-o=json", "conv", "+a"}, "conv", "+a", "json", ""},
		{[]string{"--jq", "-1", "conv", "+a"}, "conv", "+a", "", ""},
		{[]string{"conv", "-y", "--", "-o", "+b", "rest"}, "conv rest", "-o +b", "", ""},
		{[]string{"conv", "plain", "-", "+"}, "conv plain - +", "", "", ""},
		{[]string{"+a"}, "", "", "", "needs a conversation"},
		{[]string{"conv", "--fast"}, "", "", "", "unknown flag: --fast"},
		{[]string{"conv", "+a", "-o"}, "", "", "", "flag needs an argument"},
	} {
		r := newRun(t, "", nil)
		var args, changes []string
		cmd := r.TakesChanges(&cobra.Command{Use: "tag", Args: kit.AtLeast("a conversation")}, func(_ *cobra.Command, rest []string, found []kit.Change) error {
			args = rest
			for _, c := range found {
				changes = append(changes, map[bool]string{true: "+", false: "-"}[c.Add]+c.Name)
			}
			return nil
		})
		root := &cobra.Command{Use: "svcctl", SilenceErrors: true, SilenceUsage: true}
		root.PersistentFlags().StringVarP(&r.Flags.Output, "output", "o", "", "")
		root.PersistentFlags().StringVar(&r.Flags.JQ, "jq", "", "")
		root.PersistentFlags().BoolVarP(&r.Flags.Yes, "yes", "y", false, "")
		root.AddCommand(cmd)
		root.SetArgs(append([]string{"tag"}, test.args...))
		err := root.Execute()
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%q: %v, want %q", test.args, err, test.fails)
			}
			continue
		}
		if err != nil || strings.Join(args, " ") != test.args2 || strings.Join(changes, " ") != test.change || r.Flags.Output != test.output {
			t.Errorf("%q gives arguments %q, changes %q, -o %q, %v", test.args, args, changes, r.Flags.Output, err)
		}
	}
}

// TestDryRun: reads reach the daemon, the first write does not and is shown
// without the envelope of procedures.
func TestDryRun(t *testing.T) {
	var served []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served = append(served, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"post_1","data":[]}`)
	}))
	defer server.Close()
	r := newRun(t, "", map[string]string{"SVC_URL": server.URL, "SVC_API_KEY": "svc_0123456789abcdefghijklmnopqrstuvwxABCD"})
	c, err := r.Writer(kit.WriteFlags{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Posts.Get(t.Context(), "post_1"); err != nil {
		t.Error(err)
	}
	_, err = c.Raw(kit.Reading(t.Context()), http.MethodPost, "/svc-api/trpc/agents.list", nil, []byte(`{}`))
	if err != nil {
		t.Error("a read that is a POST:", err)
	}
	_, err = c.Raw(t.Context(), http.MethodPost, "/svc-api/trpc/agents.update", nil, []byte(`{"json":{"name":"Ada"},"meta":{"v":1}}`))
	if !kit.IsDryRun(err) {
		t.Errorf("the write ended with %v", err)
	}
	if want := "POST /svc-api/trpc/agents.update\n{\n  \"name\": \"Ada\"\n}\n"; r.out.String() != want {
		t.Errorf("it printed %q, want %q", r.out, want)
	}
	if want := []string{"GET /svc-api/v1/posts/post_1", "POST /svc-api/trpc/agents.list"}; !slices.Equal(served, want) {
		t.Errorf("the daemon was asked for %q, want %q", served, want)
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]int{"": 0, "7": 7, `"7"`: 7, `W/"7"`: 7} {
		if got, err := kit.ParseVersion(text); err != nil || got != want {
			t.Errorf("--if-match %s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"now", "0", "-1", "7.5"} {
		if _, err := kit.ParseVersion(text); err == nil {
			t.Errorf("--if-match %s was taken", text)
		}
	}
}

// TestTimes: a span counts from now, back or ahead; a day is one where the person
// is.
func TestTimes(t *testing.T) {
	for text, span := range map[string]time.Duration{"90d": 90 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "24h": 24 * time.Hour, "5m30s": 330 * time.Second} {
		before := time.Now()
		since, err := kit.ParseSince(text)
		if until := time.Now(); err != nil || since < api.TimeOf(before.Add(-span)) || since > api.TimeOf(until.Add(-span)) {
			t.Errorf("since %s is %s, %v", text, since, err)
		}
		before = time.Now()
		until, err := kit.ParseUntil(text)
		if after := time.Now(); err != nil || until < api.TimeOf(before.Add(span)) || until > api.TimeOf(after.Add(span)) {
			t.Errorf("until %s is %s, %v", text, until, err)
		}
	}
	day, err := kit.ParseSince("2026-01-31")
	if want := time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local); err != nil || day != api.TimeOf(want) {
		t.Errorf("the day is %s, %v, want %s", day, err, want)
	}
	for _, text := range []string{"soon", "-3h", "2026-13-01"} {
		if _, err := kit.ParseSince(text); err == nil {
			t.Errorf("%s was taken for a time", text)
		}
	}
}

func TestTextsAreRead(t *testing.T) {
	r := newRun(t, "from stdin\n", nil)
	if got, err := r.Text("@-"); err != nil || got != "from stdin\n" {
		t.Errorf("@- is %q, %v", got, err)
	}
	if got, err := r.Text("plain"); err != nil || got != "plain" {
		t.Errorf("plain is %q, %v", got, err)
	}
	if _, err := r.Text("@" + t.TempDir() + "/none"); err == nil {
		t.Error("a file that is not there was read")
	}
	if got, err := newRun(t, " hi \n", nil).TextArgument("-"); err != nil || got != "hi" {
		t.Errorf("- is %q, %v", got, err)
	}
}

func TestFiles(t *testing.T) {
	r := newRun(t, "name: Ada\nlimits:\n  maxToolSteps: 2\n", nil)
	f := kit.File{App: r.App, Noun: "agent", Name: "-"}
	members, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	var in api.AgentCreate
	if err := f.Decode(members, &in); err != nil || in.Name != "Ada" || in.Limits.MaxToolSteps != 2 {
		t.Errorf("read %+v, %v", in, err)
	}
	members["persona"] = []byte(`"typo"`)
	failure, ok := errors.AsType[*kit.Failure](f.Decode(members, &in))
	if !ok || failure.Exit != kit.ExitInvalid || !strings.Contains(failure.Message, "persona") {
		t.Errorf("an unknown member: %v", failure)
	}
}

// TestConfirm: without a terminal nothing is destroyed unless --yes says so.
func TestConfirm(t *testing.T) {
	r := newRun(t, "ada\n", nil)
	if f, ok := errors.AsType[*kit.Failure](r.Confirm("deleting Ada", "ada")); !ok || f.Exit != kit.ExitUsage {
		t.Errorf("without a terminal: %v", f)
	}
	r.Flags.Yes = true
	if err := r.Confirm("deleting Ada", "ada"); err != nil {
		t.Error(err)
	}
}

// TestExplain: the exit code and the hint follow from what went wrong.
func TestExplain(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		err  error
		exit int
	}{
		{t.Context(), kit.Usage("no"), kit.ExitUsage},
		{t.Context(), api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such post."), kit.ExitNotFound},
		{t.Context(), api.NewError(http.StatusConflict, api.CodeSlugTaken, "taken"), kit.ExitConflict},
		{t.Context(), api.NewError(http.StatusUnprocessableEntity, "validation_failed", "no"), kit.ExitInvalid},
		{t.Context(), api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "slow down"), kit.ExitRateLimited},
		{t.Context(), api.NewError(http.StatusUnauthorized, api.CodeInvalidKey, "no"), kit.ExitAuth},
		{t.Context(), context.DeadlineExceeded, kit.ExitTimeout},
		{canceled, io.ErrUnexpectedEOF, kit.ExitInterrupted},
		{t.Context(), io.ErrUnexpectedEOF, kit.ExitOther},
	} {
		if f := kit.Explain(test.ctx, test.err); f.Exit != test.exit || f.Message == "" {
			t.Errorf("%v: exit %d %q, want %d", test.err, f.Exit, f.Message, test.exit)
		}
	}
}

func TestReferences(t *testing.T) {
	for ref, want := range map[string]string{
		"why-go": "why-go", "post_01": "post_01", "https://blog.example/acme/why-go": "why-go", "http://127.0.0.1:8080/svc-api/v1/posts/post_01": "post_01",
	} {
		if got := kit.ParseRef(ref); got != want {
			t.Errorf("%s names %q, want %q", ref, got, want)
		}
	}
}

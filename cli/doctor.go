package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/model"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/sdk"
)

// finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning, failed
	Detail string `json:"detail"`
}

const (
	good   = "ok"
	warned = "warning"
	bad    = "failed"
)

var findingView = output.View[finding]{
	ID: func(f *finding) string { return f.Check },
	Columns: []output.Column[finding]{
		{Name: "check", Value: func(f *finding) string { return f.Check }},
		{Name: "state", Value: func(f *finding) string { return f.State }},
		{Name: "detail", Value: func(f *finding) string { return f.Detail }, Flex: true},
	},
}

func newDoctor(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the configuration and the way to the daemon", Args: kit.Exactly(),
		Example: "  svcctl doctor",
		RunE:    func(cmd *cobra.Command, _ []string) error { return doctor(cmd.Context(), a) },
	}
}

func doctor(ctx context.Context, a *kit.App) error {
	var found []finding
	s, err := a.Load()
	if err != nil {
		found = append(found, finding{"configuration", bad, err.Error()})
	} else {
		found = append(found, finding{"configuration", good, s.URL + " from " + s.URLFrom}, editorFinding(s.Editor))
		found = append(found, daemonFinding(ctx, a, s), keyFinding(ctx, a, s), sessionFinding(ctx, a, s))
		found = append(found, modelFindings(ctx, a)...)
	}
	if err := kit.ShowList(a, kit.ListFlags{All: true}, findingView, kit.List(found)); err != nil {
		return err
	}
	for _, f := range found {
		if f.State == bad {
			return &kit.Failure{Exit: kit.ExitOther, Code: "doctor", Message: f.Check + ": " + f.Detail}
		}
	}
	return nil
}

func editorFinding(editor string) finding {
	words, err := kit.SplitWords(editor)
	if err != nil || len(words) == 0 {
		return finding{"editor", warned, "cannot be run: " + editor}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return finding{"editor", warned, words[0] + " is not installed; set SVC_EDITOR"}
	}
	return finding{"editor", good, editor}
}

// daemonFinding asks for the health page, and compares the clocks: sessions
// and signatures depend on them.
func daemonFinding(ctx context.Context, a *kit.App, s *settings.Settings) finding {
	c := sdk.New(s.URL, append(a.Options(s), sdk.WithRetries(0), sdk.WithTimeout(5*time.Second))...)
	resp, err := c.Raw(ctx, http.MethodGet, "/healthz", nil, nil)
	if err != nil {
		return finding{"daemon", bad, kit.Explain(ctx, err).Message}
	}
	if resp.Status != http.StatusOK {
		return finding{"daemon", bad, fmt.Sprintf("/healthz answers %d", resp.Status)}
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		if skew := time.Since(at).Abs(); skew > time.Minute {
			return finding{"daemon", warned, fmt.Sprintf("its clock differs by %s", skew.Round(time.Second))}
		}
	}
	return finding{"daemon", good, s.URL + " is healthy"}
}

func keyFinding(ctx context.Context, a *kit.App, s *settings.Settings) finding {
	c, err := a.Client()
	if err != nil {
		return finding{"API key", warned, kit.Explain(ctx, err).Message}
	}
	me, err := c.Me(ctx)
	if err != nil {
		return finding{"API key", bad, kit.Explain(ctx, err).Message}
	}
	detail := fmt.Sprintf("team %s, scopes %s", me.Team.Name, strings.Join(me.Scopes, " "))
	if s.EnvKey != "" {
		detail += ", from SVC_API_KEY"
	}
	if me.Version != a.Version {
		return finding{"API key", warned, detail + "; the daemon is " + me.Version + ", svcctl " + a.Version}
	}
	return finding{"API key", good, detail}
}

// modelFindings say where each model's requests go and how the latest ended.
func modelFindings(ctx context.Context, a *kit.App) []finding {
	a.SessionToo = true
	c, err := a.Client()
	if err != nil {
		return nil // the finding of the key says why
	}
	models, err := c.Models(ctx)
	if err != nil {
		return []finding{{"models", warned, kit.Explain(ctx, err).Message}}
	}
	var found []finding
	for _, m := range models {
		f := finding{"model " + m.ID, good, "answered offline"}
		if m.Address != "" {
			f.Detail = m.Address
			if m.SentAs != "" {
				f.Detail += " as " + m.SentAs
			}
			f.Detail += ", " + model.Answer(&m)
		}
		if m.LastAnswer != nil && !m.LastAnswer.OK {
			f.State = warned
		}
		found = append(found, f)
	}
	return found
}

func sessionFinding(ctx context.Context, a *kit.App, s *settings.Settings) finding {
	d, err := a.Dashboard()
	if err != nil {
		return finding{"session", warned, "none; svcctl key needs one: svcctl login " + s.URL}
	}
	session, err := d.Auth.Session(ctx)
	if err != nil {
		return finding{"session", bad, kit.Explain(ctx, err).Message}
	}
	if _, err := os.Stat(a.Secrets(s).Path()); err == nil && s.Context.Storage == settings.StorageFile {
		return finding{"session", good, session.User.Email + ", kept in " + a.Secrets(s).Path()}
	}
	return finding{"session", good, session.User.Email}
}

package daemon_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "edgesvc.dev/svc/"

// allowed says what each package may import from this module: three floors,
// surface over domain over everything else in daemon/internal, and the
// exceptions. A key ending in /... covers the folder's packages; the most
// specific key counts.
var allowed = map[string][]string{
	"cmd/svcd":   {"daemon/command"},
	"cmd/svcctl": {"cli"},
	"kv":         nil,
	"kv/...":     {"kv", "kv/kvtest"},
	"sdk/api":    nil,
	"sdk/anchor": nil,
	"sdk/color":  nil,
	"sdk":        {"sdk/api"},
	// svctest runs the real daemon for the SDK's users.
	"sdk/svctest": {"sdk", "sdk/api", "daemon"},
	"sdk/...":     {"sdk", "sdk/api"},
	"cli/...":     {"cli/...", "sdk", "sdk/anchor", "sdk/api"},
	// What nouns share knows no noun.
	"cli/internal/kit":      cliBelow,
	"cli/internal/contract": {"sdk/api"},
	"cli/internal/crud":     append([]string{"cli/internal/browse", "cli/internal/kit", "cli/internal/contract"}, cliBelow...),
	"cli/internal/nouns":    append([]string{"cli/internal/kit", "cli/internal/crud"}, cliBelow...),
	"cli/internal/writing":  append([]string{"cli/internal/browse", "cli/internal/kit", "cli/internal/images", "cli/internal/markup", "cli/internal/merge", "cli/internal/postfile", "cli/internal/postsync"}, cliBelow...),
	"cli":                   {"cli/...", "sdk", "sdk/api"},
	// The terminal UI: the shell shows screens, which know neither it nor each
	// other; what they are made of knows no screen.
	"cli/tui":                   {"cli/internal/browse", "cli/tui/internal/...", "sdk", "sdk/api"},
	"cli/tui/internal/...":      append([]string{"cli/tui/internal/part", "cli/tui/internal/part/...", "cli/tui/internal/screen", "cli/internal/postfile"}, cliBelow...),
	"cli/tui/internal/noun":     append([]string{"cli/internal/browse", "cli/tui/internal/part", "cli/tui/internal/part/...", "cli/tui/internal/screen"}, cliBelow...),
	"cli/tui/internal/part":     append([]string{"cli/tui/internal/part/..."}, cliBelow...),
	"cli/tui/internal/part/...": append([]string{"cli/tui/internal/part/..."}, cliBelow...),
	"cli/tui/internal/quiet":    nil,
	"cli/tui/internal/tuitest":  {"cli/tui", "sdk", "sdk/api"},
	"daemon":                    {"daemon/internal/...", "kv", "kv/...", "widget", "sdk/api"},
	"daemon/command":            {"daemon", "daemon/internal/...", "kv", "kv/...", "sdk/api"},

	// A surface turns bytes into op.Call and back; it knows no domain.
	"daemon/internal/surface/...":    append([]string{"daemon/internal/surface/edge", "daemon/internal/surface/hijack"}, below...),
	"daemon/internal/surface/edge":   {"daemon/internal/op", "sdk/api"},
	"daemon/internal/surface/guard":  {"daemon/internal/budget", "daemon/internal/netaddr", "daemon/internal/pace", "daemon/internal/refusals", "daemon/internal/surface/edge", "sdk/api"},
	"daemon/internal/surface/hijack": {"daemon/internal/netaddr", "daemon/internal/pace", "daemon/internal/surface/edge", "sdk/api"},
	// A domain has rules and rows; it knows no surface and no other domain.
	"daemon/internal/domain":     below,
	"daemon/internal/domain/...": append([]string{"daemon/internal/domain"}, below...),
	// Tests of who may come in have all three at work.
	"daemon/internal/domain/team/teamtest": append([]string{"daemon/internal/domain/access", "daemon/internal/domain/sites", "daemon/internal/domain/team", "daemon/internal/optest"}, below...),
	"daemon/internal/domain/email/dsn":     nil,
	// Below both, and knowing neither.
	"daemon/internal/...": below,

	// These know nothing of the rest.
	"daemon/internal/budget":    nil,
	"daemon/internal/condition": {"daemon/internal/field", "sdk/api"},
	"daemon/internal/netaddr":   nil,
	"daemon/internal/outbound":  nil,
	"daemon/internal/live":      {"sdk/api"},
	"daemon/internal/mailaddr":  nil,
	"daemon/internal/pace":      nil,
	"daemon/internal/roster":    {"kv", "sdk/api"},
	"daemon/internal/seal":      nil,
	"daemon/internal/safehtml":  {"sdk/anchor"},
	"daemon/internal/template":  nil,
	"daemon/internal/queue":     {"kv"},
	"daemon/internal/op":        {"daemon/internal/netaddr", "daemon/internal/pace", "daemon/internal/refusals", "kv", "sdk/api"},
	"daemon/internal/llm":       {"daemon/internal/search/words", "sdk/api"},
	// What tests of domains stand on.
	"daemon/internal/optest":                  append([]string{"kv/bolt", "kv/kvtest"}, below...),
	"daemon/internal/superjson/superjsontest": {"daemon/internal/superjson"},
	// Search finds texts of any kind.
	"daemon/internal/search":       {"daemon/internal/safehtml", "daemon/internal/search/words", "kv", "sdk/api"},
	"daemon/internal/search/words": nil,
	// The attack corpus that tests share.
	"daemon/internal/safehtml/...": {"daemon/internal/safehtml"},

	"widget":     {"sdk/api", "sdk/color"},
	"widget/...": {"widget", "widget/...", "sdk/api"},
}

// cliBelow is what svcctl's commands stand on.
var cliBelow = []string{"cli/internal/atomicfile", "cli/internal/output", "cli/internal/settings", "cli/internal/terminal", "sdk", "sdk/api"}

// below is the lowest floor of the daemon, which surfaces and domains stand on.
var below = []string{"daemon/internal/budget", "daemon/internal/condition", "daemon/internal/event", "daemon/internal/field", "daemon/internal/live", "daemon/internal/llm",
	"daemon/internal/mailaddr", "daemon/internal/netaddr", "daemon/internal/op", "daemon/internal/outbound", "daemon/internal/pace",
	"daemon/internal/queue", "daemon/internal/refusals", "daemon/internal/resource", "daemon/internal/revision", "daemon/internal/roster", "daemon/internal/safehtml",
	"daemon/internal/search", "daemon/internal/search/words", "daemon/internal/seal", "daemon/internal/slug", "daemon/internal/status", "daemon/internal/superjson", "daemon/internal/text", "daemon/internal/template", "kv", "sdk/anchor", "sdk/api", "sdk/color"}

// TestImports holds the tree to its import rules. Test files are free.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		rules, found := rulesFor(name)
		if !found {
			t.Errorf("%s has no import rules; add it to the table", name)
			continue
		}
		for _, imported := range p.Imports {
			rest, ours := strings.CutPrefix(imported, module)
			if ours && !slices.ContainsFunc(rules, func(r string) bool { return covers(r, rest) }) {
				t.Errorf("%s imports %s; it may import %v", name, rest, rules)
			}
		}
	}
}

// TestPackagesOfTests holds that what is made for tests is in no program: packages
// whose names end in test are imported by test files and by each other.
func TestPackagesOfTests(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if strings.HasSuffix(p.ImportPath, "test") {
			seen++
			continue
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) && strings.HasSuffix(imported, "test") {
				t.Errorf("%s imports %s outside of its tests", p.ImportPath, imported)
			}
		}
	}
	if seen == 0 {
		t.Error("no package of tests was found")
	}
}

// TestStandardLibraryOnly keeps the SDK free of other people's modules.
func TestStandardLibraryOnly(t *testing.T) {
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.ImportPath, module+"sdk") || strings.HasSuffix(p.ImportPath, "/svctest") {
			continue
		}
		for _, imported := range p.Imports {
			first, _, _ := strings.Cut(imported, "/")
			if strings.Contains(first, ".") && !strings.HasPrefix(imported, module) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// TestTopLevel holds the fixed layout of the repository.
func TestTopLevel(t *testing.T) {
	fixed := strings.Fields("cmd daemon cli widget kv sdk go.mod go.sum goreleaser.yaml Makefile README.md LICENSE CONTRIBUTING.md docs action.yml")
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(fixed, top) {
			t.Errorf("%s stands at the top level; only %v and dot files may", top, fixed)
		}
	}
}

func rulesFor(name string) ([]string, bool) {
	if rules, ok := allowed[name]; ok {
		return rules, true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if rules, ok := allowed[dir+"/..."]; ok {
			return rules, true
		}
	}
	return nil, false
}

func covers(rule, name string) bool {
	folder, all := strings.CutSuffix(rule, "/...")
	return rule == name || all && strings.HasPrefix(name, folder+"/")
}

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

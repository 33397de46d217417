package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/atomicfile"
	"edgesvc.dev/svc/cli/internal/kit"
)

// desktop is an AI client with a file that lists servers.
type desktop struct {
	name   string
	member string // of the file, holding the servers by name
	path   func(home string, getenv func(string) string) string
}

var desktops = []desktop{
	{"claude", "mcpServers", claudePath},
	{"cursor", "mcpServers", func(home string, _ func(string) string) string { return filepath.Join(home, ".cursor", "mcp.json") }},
	{"vscode", "servers", func(string, func(string) string) string { return filepath.Join(".vscode", "mcp.json") }},
}

func claudePath(home string, getenv func(string) string) string {
	const file = "claude_desktop_config.json"
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Claude", file)
	case "windows":
		return filepath.Join(getenv("APPDATA"), "Claude", file)
	}
	return filepath.Join(home, ".config", "Claude", file)
}

type install struct {
	app    *kit.App
	flags  flags
	dryRun bool
}

func newMCPInstall(a *kit.App) *cobra.Command {
	o := &install{app: a}
	cmd := &cobra.Command{
		Use: "install claude|cursor|vscode", Short: "Add svc to an AI client's configuration", Args: kit.Exactly("claude, cursor or vscode"),
		Example: "  svcctl mcp install claude",
		Long: "Adds svcctl mcp stdio to the servers of an AI client. No credential goes into that file: the client\n" +
			"starts svcctl, which signs in as the context in use. Other servers in the file stay as they are.",
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.flags.add(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the file, and write nothing")
	return cmd
}

func (o *install) run(name string) error {
	i := slices.IndexFunc(desktops, func(d desktop) bool { return d.name == name })
	if i < 0 {
		return kit.Usage("svcctl mcp install knows claude, cursor and vscode, not %s", name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("find the home folder: %w", err)
	}
	path := desktops[i].path(home, o.app.Getenv)
	b, err := o.merged(path, desktops[i].member)
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.app.PrintText(string(b))
	}
	if err := atomicfile.Write(path, b, 0o644); err != nil {
		return err
	}
	o.app.IO.Say("svc was added to %s; restart the client", path)
	return nil
}

// merged is the file with svc among its servers.
func (o *install) merged(path, member string) ([]byte, error) {
	whole := map[string]json.RawMessage{}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the client's configuration: %w", err)
	}
	servers := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(b)) > 0 {
		if json.Unmarshal(b, &whole) != nil || whole[member] != nil && json.Unmarshal(whole[member], &servers) != nil {
			return nil, &kit.Failure{Exit: kit.ExitOther, Code: "unreadable", Message: path + " is not plain JSON and was left alone", Hint: "svcctl mcp install --dry-run prints what to add"}
		}
	}
	entry, err := o.entry()
	if err != nil {
		return nil, err
	}
	servers["svc"] = entry
	if whole[member], err = json.Marshal(servers); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(whole, "", "  ")
	return append(out, '\n'), err
}

func (o *install) entry() (json.RawMessage, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find svcctl: %w", err)
	}
	args := []string{"mcp", "stdio"}
	s, err := o.app.Load()
	if err != nil {
		return nil, err
	}
	if s.Name != "" {
		args = append(args, "--context", s.Name)
	}
	if o.flags.tools != "" {
		args = append(args, "--tools", o.flags.tools)
	}
	if o.flags.readOnly {
		args = append(args, "--read-only")
	}
	return json.Marshal(map[string]any{"command": program, "args": args})
}

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/kv/bolt"
)

// finding is one line of the doctor's report.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, note or fail
	Text  string `json:"text"`
}

func doctorCommand(c console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say whether svcd can run here, and what would stop it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examine(cmd, c)
			failed := false
			marks := map[string]string{"ok": "✓", "note": "•", "fail": "✗"}
			for _, f := range found {
				failed = failed || f.State == "fail"
				if !asJSON {
					fmt.Fprintf(c.out, "%s %-14s %s\n", marks[f.State], f.Check, f.Text)
				}
			}
			if asJSON {
				if err := json.NewEncoder(c.out).Encode(found); err != nil {
					return err
				}
			}
			if failed {
				return errQuiet
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func examine(cmd *cobra.Command, c console) []finding {
	cfg, err := daemon.Load(cmd.Flags(), c.lookup)
	if err != nil {
		return []finding{{"configuration", "fail", strings.ReplaceAll(err.Error(), "\n", "; ")}}
	}
	found := []finding{{"configuration", "ok", "every setting is valid"}}
	running := daemon.Running(cfg.Data)
	found = append(found, examineData(cfg, running)...)
	found = append(found, examineListen(cfg, running))
	return append(found, examineModels(cfg), examineTLS(cfg), examineFiles(daemon.Files()))
}

// manyConns is what a busy site with a chat may want.
const manyConns = 4000

func examineFiles(files int) finding {
	conns, most := daemon.Conns(files)
	switch {
	case conns == 0:
		return finding{"connections", "fail", daemon.TooFewFiles().Error()}
	case conns < manyConns:
		return finding{"connections", "note", fmt.Sprintf("%d at once of at most %d: %d files may be open; raise the limit (ulimit -n, or LimitNOFILE of systemd)", conns, most, files)}
	}
	return finding{"connections", "ok", fmt.Sprintf("%d at once", conns)}
}

func examineData(cfg *daemon.Config, running bool) []finding {
	info, err := os.Stat(cfg.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{{"data folder", "note", cfg.Data + " will be made at the first start"}}
	case err != nil:
		return []finding{{"data folder", "fail", err.Error()}}
	case !info.IsDir():
		return []finding{{"data folder", "fail", cfg.Data + " is not a folder"}}
	}
	found := []finding{{"data folder", "ok", cfg.Data}}
	if info.Mode().Perm()&0o077 != 0 {
		found[0] = finding{"data folder", "fail", fmt.Sprintf("%s is readable by others (%s); run chmod 700 on it", cfg.Data, info.Mode().Perm())}
	}
	path := daemon.DataFile(cfg.Data)
	file, err := os.Stat(path)
	switch {
	case err != nil:
		return append(found, finding{"data file", "note", "none yet; the first start makes a team and a key"})
	case running:
		return append(found, finding{"data file", "ok", fmt.Sprintf("%d MiB, in use by a running svcd", file.Size()>>20)})
	}
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return append(found, finding{"data file", "fail", withBackup(cfg.Data, err).Error()})
	}
	if err := store.Close(); err != nil {
		return append(found, finding{"data file", "fail", err.Error()})
	}
	return append(found, finding{"data file", "ok", fmt.Sprintf("%d MiB, opens; svcd check verifies all of it", file.Size()>>20)})
}

func examineListen(cfg *daemon.Config, running bool) finding {
	ln, err := net.Listen("tcp", cfg.Listen)
	switch {
	case err == nil:
		_ = ln.Close()
		return finding{"listen", "ok", cfg.Listen + " is free"}
	case running:
		return finding{"listen", "ok", cfg.Listen + " is taken by the running svcd"}
	}
	return finding{"listen", "fail", fmt.Sprintf("%s: %s", cfg.Listen, daemon.Reason(err))}
}

func examineModels(cfg *daemon.Config) finding {
	var keys []string
	if cfg.OpenAIKey != "" {
		keys = append(keys, "OpenAI")
	}
	if cfg.AnthropicKey != "" {
		keys = append(keys, "Anthropic")
	}
	if len(keys) == 0 {
		return finding{"models", "note", fmt.Sprintf("no vendor key: all %d models are answered offline, labelled so", len(llm.Models()))}
	}
	return finding{"models", "ok", "keys for " + strings.Join(keys, " and ")}
}

func examineTLS(cfg *daemon.Config) finding {
	switch {
	case cfg.TLS():
		return finding{"tls", "ok", "svcd serves HTTPS itself"}
	case cfg.BehindProxy:
		return finding{"tls", "ok", "a proxy in front does TLS"}
	}
	return finding{"tls", "note", "none; allowed only on loopback"}
}

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/seal"
)

type finding = daemon.Finding

func line(check, state, text string) finding {
	return finding{Check: check, State: state, Text: text}
}

func doctorCommand(c console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say whether svcd can run here, and what would stop it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examine(cmd, c)
			failed := false
			marks := map[string]string{daemon.FoundOK: "✓", daemon.FoundNote: "•", daemon.FoundFail: "✗"}
			for _, f := range found {
				failed = failed || f.State == daemon.FoundFail
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
		return []finding{line("configuration", daemon.FoundFail, strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	found := []finding{line("configuration", daemon.FoundOK, "every setting is valid")}
	running := daemon.Running(cfg.Data)
	found = append(found, examineData(cmd.Context(), cfg, running)...)
	found = append(found, examineListen(cfg, running), examineAdmin(cfg, running))
	return append(found, examineTLS(cfg), examineFiles(daemon.Files()))
}

// manyConns is what a busy site with a chat may want.
const manyConns = 4000

func examineFiles(files int) finding {
	conns, most := daemon.Conns(files)
	switch {
	case conns == 0:
		return line("connections", daemon.FoundFail, daemon.TooFewFiles().Error())
	case conns < manyConns:
		return line("connections", daemon.FoundNote, fmt.Sprintf("%d at once of at most %d: %d files may be open; raise the limit (ulimit -n, or LimitNOFILE of systemd)", conns, most, files))
	}
	return line("connections", daemon.FoundOK, fmt.Sprintf("%d at once", conns))
}

// examineData looks at the folder and at what it holds: through the daemon that
// runs on it, or by opening it as serve does.
func examineData(ctx context.Context, cfg *daemon.Config, running bool) []finding {
	folder := examineFolder(cfg.Data)
	file, err := os.Stat(daemon.DataFile(cfg.Data))
	switch {
	case err != nil:
		found := []finding{folder, line("data file", daemon.FoundNote, "none yet; the first start makes a team and a key")}
		for _, pair := range cfg.SiteHosts {
			found = append(found, line("site-hosts", daemon.FoundNote, pair+": there is no team yet"))
		}
		return append(found, cfg.ExamineModels(ctx)...)
	case running:
		found := []finding{folder, line("data file", daemon.FoundOK, fmt.Sprintf("%d MiB, in use by a running svcd", file.Size()>>20))}
		itself, err := daemon.AskExamine(ctx, cfg.Data)
		if err != nil {
			return append(found, line("daemon", daemon.FoundFail, "it runs and does not answer on its control socket: "+err.Error()))
		}
		return append(found, itself...)
	}
	return append([]finding{folder}, examineStopped(ctx, cfg, file.Size())...)
}

func examineStopped(ctx context.Context, cfg *daemon.Config, size int64) []finding {
	if _, err := os.Stat(filepath.Join(cfg.Data, seal.File)); errors.Is(err, fs.ErrNotExist) {
		return append([]finding{line("secret key", daemon.FoundFail, seal.File+" is not in "+cfg.Data+": copy it from where you keep it; a start makes another, and the keys of tasks and sites must be set again")},
			cfg.ExamineModels(ctx)...)
	}
	d, err := daemon.Open(cfg)
	if err != nil {
		return append([]finding{line("data file", daemon.FoundFail, withBackup(cfg.Data, err).Error())}, cfg.ExamineModels(ctx)...)
	}
	found := append([]finding{line("data file", daemon.FoundOK, fmt.Sprintf("%d MiB, opens; svcd check verifies all of it", size>>20))}, d.Examine(ctx)...)
	if err := d.Close(); err != nil {
		found = append(found, line("data file", daemon.FoundFail, err.Error()))
	}
	return found
}

// examineFolder reports whether the folder can be written, or made.
func examineFolder(path string) finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return examineParent(path)
	case err != nil:
		return line("data folder", daemon.FoundFail, err.Error())
	case !info.IsDir():
		return line("data folder", daemon.FoundFail, path+" is not a folder")
	case info.Mode().Perm()&0o077 != 0:
		return line("data folder", daemon.FoundFail, fmt.Sprintf("%s is readable by others (%s); run chmod 700 on it", path, info.Mode().Perm()))
	}
	if err := writable(path); err != nil {
		return line("data folder", daemon.FoundFail, fmt.Sprintf("%s cannot be written to: %v", path, daemon.Reason(err)))
	}
	return line("data folder", daemon.FoundOK, path)
}

// examineParent looks at the nearest folder that there is above one that a start
// will make.
func examineParent(path string) finding {
	parent, err := filepath.Abs(path)
	for err == nil && parent != filepath.Dir(parent) {
		parent = filepath.Dir(parent)
		if info, err := os.Stat(parent); err == nil && info.IsDir() {
			break
		} else if err == nil {
			return line("data folder", daemon.FoundFail, fmt.Sprintf("%s cannot be made: %s is not a folder", path, parent))
		}
	}
	if err := errors.Join(err, writable(parent)); err != nil {
		return line("data folder", daemon.FoundFail, fmt.Sprintf("%s cannot be made: %s cannot be written to: %v", path, parent, daemon.Reason(err)))
	}
	return line("data folder", daemon.FoundNote, path+" will be made at the first start")
}

func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".svcd-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func examineListen(cfg *daemon.Config, running bool) finding {
	ln, err := net.Listen("tcp", cfg.Listen)
	switch {
	case err == nil:
		_ = ln.Close()
		return line("listen", daemon.FoundOK, cfg.Listen+" is free")
	case running:
		return line("listen", daemon.FoundOK, cfg.Listen+" is taken by the running svcd")
	}
	return line("listen", daemon.FoundFail, fmt.Sprintf("%s: %s", cfg.Listen, daemon.Reason(err)))
}

// examineAdmin looks at the address of the figures, which a start can do without.
func examineAdmin(cfg *daemon.Config, running bool) finding {
	if cfg.Admin == "" {
		return line("figures", daemon.FoundNote, "none: admin is empty")
	}
	ln, err := net.Listen("tcp", cfg.Admin)
	switch {
	case err == nil:
		_ = ln.Close()
		return line("figures", daemon.FoundOK, cfg.Admin+" is free")
	case running:
		return line("figures", daemon.FoundOK, cfg.Admin+" is taken, by the running svcd unless it says otherwise")
	}
	return line("figures", daemon.FoundNote, fmt.Sprintf("%s: %s; svcd would start without them, --admin names another address", cfg.Admin, daemon.Reason(err)))
}

func examineTLS(cfg *daemon.Config) finding {
	if err := cfg.CheckTLS(); err != nil {
		return line("tls", daemon.FoundFail, err.Error())
	}
	switch {
	case cfg.TLS():
		return line("tls", daemon.FoundOK, "svcd serves HTTPS itself")
	case cfg.BehindProxy:
		return line("tls", daemon.FoundOK, "a proxy in front does TLS")
	}
	return line("tls", daemon.FoundNote, "none; allowed only on loopback")
}

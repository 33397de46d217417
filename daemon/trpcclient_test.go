package daemon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTRPCClient runs the client library that dashboards use, every link of it,
// against the daemon.
func TestTRPCClient(t *testing.T) {
	dir, modules := scripts(t)
	in := start(t)
	_, link, _ := strings.Cut(in.A.SignInLink, "token=")
	cmd := exec.CommandContext(t.Context(), node(modules), filepath.Join(dir, "check.mjs"))
	cmd.Env = append(os.Environ(), "URL="+in.URL, "LINK="+link, "KEY="+in.A.Key)
	out, err := cmd.CombinedOutput()
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Log(said[len(said)-1])
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

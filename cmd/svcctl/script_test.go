package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli"
	"edgesvc.dev/svc/sdk/svctest"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"svcctl":  svcctl,
		"replace": replace,
	})
}

// svcctl is the program; PEAK names a file for what it says of its memory.
func svcctl() {
	code := cli.Main()
	if name := os.Getenv("PEAK"); name != "" {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil || os.WriteFile(name, status, 0o600) != nil {
			os.Exit(99)
		}
	}
	os.Exit(code)
}

// TestScript runs svcctl as a user does, each script in a folder and with a
// configuration of its own.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // a second at the end of each program otherwise
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"daemon": func(ts *testscript.TestScript, _ bool, _ []string) {
				server := svctest.NewServer(t)
				ts.Setenv("SVC_URL", server.URL)
				ts.Setenv("SVC_API_KEY", server.Key)
				ts.Setenv("LINK", server.SignInLink)
			},
			"fake":      startFake,
			"chats":     startChats,
			"misbehave": startMisbehaving,
			"picture":   picture,
			"refuse":    refuse,
			"web":       web,
			"zip":       zipped,
			"exits":     exits,
			"followed":  awaitFollowers,
		},
	})
}

// exits runs a program and holds it to an exit code: exits CODE PROGRAM ARGS....
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if want == 0 {
		ts.Check(err)
		return
	}
	if err == nil || !strings.HasSuffix(err.Error(), "exit status "+args[0]) {
		ts.Fatalf("want exit code %s, got %v", args[0], err)
	}
}

// picture writes a PNG image of one pixel: picture FILE.
func picture(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	var b bytes.Buffer
	ts.Check(png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	ts.Check(os.WriteFile(name, b.Bytes(), 0o600))
}

// replace is an editor: replace OLD NEW FILE.
func replace() {
	old, new, path := os.Args[1], os.Args[2], os.Args[3]
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), old) {
		os.Exit(1)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o600); err != nil {
		os.Exit(1)
	}
}

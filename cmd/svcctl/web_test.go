package main

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

// web asks the environment's daemon for a page as a browser does, and prints the
// status, where it leads, and the page: web PATH.
func web(ts *testscript.TestScript, _ bool, args []string) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(ts.Getenv("SVC_URL") + args[0])
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d %s\n%s", resp.StatusCode, resp.Header.Get("Location"), body)
	ts.Check(err)
}

// zipped packs the files of a folder: zip FILE DIR.
func zipped(ts *testscript.TestScript, _ bool, args []string) {
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := zip.NewWriter(file)
	ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(w.Close())
	ts.Check(file.Close())
}

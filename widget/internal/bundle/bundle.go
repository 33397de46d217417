// Package main bundles the widget's TypeScript into one minified script, without
// Node. It runs in the folder of the package widget: go generate ./widget.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"edgesvc.dev/svc/widget/internal/bundle/script"
)

func main() {
	code, panel, err := script.Bundle("src")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join("dist", "widget.js"), code, 0o644), //nolint:gosec // G306: a file of the source
			os.WriteFile(filepath.Join("dist", "panel.css"), panel, 0o644)) //nolint:gosec // G306: a file of the source
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Package main bundles the widget's TypeScript into one minified script, without
// Node. It runs in the folder of the package widget: go generate ./widget.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"edgesvc.dev/svc/widget/internal/bundle/script"
)

func main() {
	code, err := script.Bundle("src")
	if err == nil {
		err = os.WriteFile(filepath.Join("dist", "widget.js"), code, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

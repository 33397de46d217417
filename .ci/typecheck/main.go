// Package main type-checks packages with all that they import for one target,
// from source: what a cross-build would find out, without generating the code.
// It takes package patterns; GOOS and GOARCH name the target.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// listed is what go list -json says of a package.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// checker knows the packages that were checked; those that a package imports
// come before it.
type checker struct {
	files *token.FileSet
	done  map[string]*types.Package
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	list := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,Module,Error"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	c := &checker{files: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	var bad []error
	for packages := json.NewDecoder(out); ; {
		var p listed
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		bad = append(bad, c.check(&p))
	}
	fmt.Printf("%s/%s: %d packages\n", os.Getenv("GOOS"), os.Getenv("GOARCH"), len(c.done))
	return errors.Join(append(bad, list.Wait())...)
}

// check checks one package; the bodies of functions are ours to get right in
// this module only.
func (c *checker) check(p *listed) error {
	if p.Error != nil {
		return errors.New(p.Error.Err)
	}
	if p.ImportPath == "unsafe" {
		return nil
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	ours := p.Module != nil && p.Module.Main
	var bad []error
	conf := types.Config{
		Importer: importer{c, p.ImportMap}, Sizes: types.SizesFor("gc", arch()), IgnoreFuncBodies: !ours,
		FakeImportC: true, Error: func(err error) { bad = append(bad, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	c.done[p.ImportPath], _ = conf.Check(p.ImportPath, c.files, files, nil) // its error is among bad
	if !ours {
		return nil // the standard library's own tricks are its own
	}
	return errors.Join(bad...)
}

func arch() string {
	if a := os.Getenv("GOARCH"); a != "" {
		return a
	}
	return runtime.GOARCH
}

// importer finds what one package imports.
type importer struct {
	*checker
	renamed map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if real, ok := i.renamed[path]; ok {
		path = real
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not listed before it is imported", path)
}

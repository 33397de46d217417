package cli_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module = "edgesvc.dev/svc/"
	// most is how many pairs of files of one package may know each other: above
	// it nobody can change one file without reading the others.
	most = 60
	// most files in the package that only joins the commands.
	mostJoining = 15
)

type room struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// TestRooms keeps the commands in packages that can be read one at a time. The
// terminal UI is not among them yet.
func TestRooms(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, rooms := map[string]string{}, []room{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var r room
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[r.ImportPath] = r.Export
		if path, ok := strings.CutPrefix(r.ImportPath, module); ok && (path == "cli" || strings.HasPrefix(path, "cli/internal/")) {
			rooms = append(rooms, r)
		}
	}
	if len(rooms) < 20 {
		t.Fatalf("only %d packages were found", len(rooms))
	}
	for _, r := range rooms {
		n := ties(t, r, exports)
		t.Logf("%3d ties, %2d files: %s", n, len(r.GoFiles), r.ImportPath)
		if n > most {
			t.Errorf("%s has %d ties between its files, more than %d: divide it", r.ImportPath, n, most)
		}
		if r.ImportPath == module+"cli" && len(r.GoFiles) > mostJoining {
			t.Errorf("%s has %d files, more than %d: it only joins the commands", r.ImportPath, len(r.GoFiles), mostJoining)
		}
	}
}

// ties counts the pairs of files of which the first uses what the second
// declares: types, functions, methods, fields, variables.
func ties(t *testing.T, r room, exports map[string]string) int {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range r.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(r.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	pkg, err := config.Check(r.ImportPath, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	type tie struct{ from, to string }
	found := map[tie]bool{}
	for id, object := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if object.Pkg() == pkg && from != to {
			found[tie{from, to}] = true
		}
	}
	return len(found)
}

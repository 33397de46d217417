package postsync

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ignoreFile names files that are not texts of the team, as .gitignore does.
const ignoreFile = ".svcignore"

type ignored struct{ rules []ignoreRule }

type ignoreRule struct {
	match *regexp.Regexp
	keep  bool
}

func readIgnored(dir string) (*ignored, error) {
	file, err := os.Open(filepath.Join(dir, ignoreFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &ignored{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ignoreFile, err)
	}
	defer file.Close()
	var out ignored
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, keep := strings.CutPrefix(line, "!")
		match, err := globPattern(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a pattern", ignoreFile, line)
		}
		out.rules = append(out.rules, ignoreRule{match, keep})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", ignoreFile, err)
	}
	return &out, nil
}

// globPattern is a line of .gitignore as an expression over paths.
func globPattern(glob string) (*regexp.Regexp, error) {
	glob = strings.TrimSuffix(glob, "/")
	anchored := strings.Contains(glob, "/")
	glob = strings.TrimPrefix(glob, "/")
	quoted := regexp.QuoteMeta(glob)
	quoted = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `/\*\*`, `/.*`, `\*`, `[^/]*`, `\?`, `[^/]`, `\[`, `[`, `\]`, `]`).Replace(quoted)
	if !anchored {
		quoted = `(?:.*/)?` + quoted
	}
	return regexp.Compile(`^` + quoted + `(?:/.*)?$`)
}

// has reports a path that a rule names; the last that does counts.
func (i *ignored) has(name string) bool {
	for n := len(i.rules) - 1; n >= 0; n-- {
		if i.rules[n].match.MatchString(name) {
			return !i.rules[n].keep
		}
	}
	return false
}

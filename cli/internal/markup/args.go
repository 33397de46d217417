package markup

import (
	"regexp"
	"strings"
)

// args are the arguments of a mark.
type args struct {
	list  []string          // those without a name
	named map[string]string // the others, by name in lower case
}

var argument = regexp.MustCompile(`(?s)([\w.@:-]+?)\s*(?:=|:\s)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`" + `|\[[^\]]*\]|\{[^}]*\}|[^\s,()]+)` +
	`|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`" + `)|([^\s,()]+)`)

func parseArgs(s string) args {
	a := args{named: map[string]string{}}
	for _, m := range argument.FindAllStringSubmatch(s, -1) {
		switch {
		case m[1] != "":
			a.named[strings.ToLower(m[1])] = unquote(m[2])
		case m[3] != "":
			a.list = append(a.list, unquote(m[3]))
		default:
			a.list = append(a.list, m[4])
		}
	}
	return a
}

func unquote(s string) string {
	if len(s) >= 2 && strings.ContainsRune("\"'`", rune(s[0])) && s[len(s)-1] == s[0] {
		return strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(s[1 : len(s)-1])
	}
	return s
}

// get is the first of the names that has a value.
func (a args) get(names ...string) string {
	for _, name := range names {
		if v := a.named[name]; v != "" {
			return v
		}
	}
	return ""
}

// at is an argument by its place, "" where there is none.
func (a args) at(i int) string {
	if i < len(a.list) {
		return a.list[i]
	}
	return ""
}

// or is a named argument, or else the one at a place.
func (a args) or(i int, names ...string) string {
	if v := a.get(names...); v != "" {
		return v
	}
	return a.at(i)
}

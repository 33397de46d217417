package markup

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// evaluator writes a tree of marks as Markdown.
type evaluator struct {
	vars  map[string]string // what {{ name }} says
	mdx   bool
	notes *notes
}

func (e *evaluator) all(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(e.one(n))
	}
	return b.String()
}

func (e *evaluator) one(n node) string {
	var out string
	switch n.form {
	case plainText:
		return n.raw
	case block:
		out = e.block(n)
	case shortcode:
		out = e.known(n, strings.TrimLeft(n.name, "_"), parseArgs(n.args))
	case output:
		out = e.output(n)
	case brace:
		out = e.brace(n)
	case tag:
		out = e.tag(n)
	}
	return n.place(out)
}

// place puts what a mark has become where the mark was: on lines of its own with
// the indentation of the mark, or into its line.
func (n node) place(out string) string {
	if !n.alone {
		if strings.Contains(out, "\n") { // a block needs lines of its own
			return "\n" + out
		}
		return out
	}
	if strings.TrimSpace(out) == "" {
		if n.paired || n.prefix != "" {
			return ""
		}
		return "\n"
	}
	return indent(out, n.prefix) + "\n"
}

// content is what is between a mark and its end, without the indentation
// that it has for the mark's sake.
func (e *evaluator) content(n node) string {
	inner := e.all(n.inner)
	if !n.alone {
		return inner
	}
	inner = unindent(inner, n.prefix)
	if n.form == tag {
		inner = dedent(inner)
	}
	return strings.Trim(inner, "\n") + "\n"
}

func (e *evaluator) dropped(what string) string {
	e.notes.add(Mark, what)
	return ""
}

// block is {% name … %}.
func (e *evaluator) block(n node) string {
	switch n.name {
	case "raw", "verbatim":
		return e.content(n)
	case "comment":
		return ""
	case "assign", "set":
		if key, value, ok := strings.Cut(n.args, "="); ok && !n.paired {
			if v := strings.TrimSpace(value); v != unquote(v) {
				e.vars[strings.ToLower(strings.TrimSpace(key))] = unquote(v)
			}
			return ""
		}
		return e.dropped("{% " + n.name + " %}")
	case "if", "unless", "ifversion":
		e.dropped("{% " + n.name + " %}")
		return e.firstBranch(n)
	case "else", "elsif", "elseif", "elif", "when":
		return ""
	case "for", "tablerow", "macro", "capture", "paginate", "css", "js", "style", "javascript", "schema", "case":
		return e.dropped("{% " + n.name + " %}")
	}
	arguments := n.args
	if rest, ok := strings.CutPrefix(arguments, "("); ok {
		arguments = strings.TrimSuffix(rest, ")")
	}
	return e.known(n, n.name, parseArgs(arguments))
}

// firstBranch is the content of a condition up to its else.
func (e *evaluator) firstBranch(n node) string {
	i := slices.IndexFunc(n.inner, func(c node) bool {
		return c.form == block && slices.Contains([]string{"else", "elsif", "elseif", "elif"}, c.name)
	})
	if i >= 0 {
		n.inner = n.inner[:i]
	}
	return e.content(n)
}

var (
	literal = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*(?:\|.*)?$`)
	call    = regexp.MustCompile(`(?s)^([\w:.]+)\s*\((.*)\)$`)
)

// output is {{ … }}.
func (e *evaluator) output(n node) string {
	what, _, _ := strings.Cut(n.args, "|")
	what = strings.TrimSpace(what)
	if m := literal.FindStringSubmatch(n.args); m != nil {
		return unquote(m[1])
	}
	key := strings.ToLower(what)
	if v, ok := e.vars[key]; ok {
		return v
	}
	switch key {
	case "site.baseurl", "site.url", "base_url", "baseurl", "config.base_url", "site.base_url":
		return "" // of the old site: what follows is a path
	}
	if m := call.FindStringSubmatch(what); m != nil {
		fn := strings.ToLower(m[1])
		return e.known(n, fn[strings.LastIndexAny(fn, ":.")+1:], parseArgs(m[2]))
	}
	return e.dropped("{{ " + short(n.args) + " }}")
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// brace is { … } of MDX.
func (e *evaluator) brace(n node) string {
	what := n.args
	switch {
	case what == "" || what == `" "` || what == `' '`:
		return " "
	case strings.HasPrefix(what, "/*"):
		if id, ok := strings.CutPrefix(strings.TrimSpace(strings.Trim(what, "/* ")), "#"); ok && !strings.Contains(id, " ") {
			return "{#" + id + "}"
		}
		return ""
	case what != unquote(what) && !strings.Contains(what, "${"):
		return unquote(what)
	}
	for _, of := range []string{"frontmatter.", "props.", "meta.", "page.", "frontMatter."} {
		if v, ok := e.vars[strings.ToLower("page."+strings.TrimPrefix(what, of))]; ok && strings.HasPrefix(what, of) {
			return v
		}
	}
	if v, ok := e.vars[strings.ToLower(what)]; ok {
		return v
	}
	return e.dropped("{" + short(what) + "}")
}

// value is what an attribute says: its text, or the first text in its braces.
func (e *evaluator) value(n node, names ...string) string {
	for _, name := range names {
		for _, a := range n.attrs {
			if !strings.EqualFold(strings.TrimPrefix(a.name, ":"), name) {
				continue
			}
			if !a.code && !strings.HasPrefix(a.name, ":") {
				return strings.TrimSpace(a.value)
			}
			if v, ok := e.vars[strings.ToLower(strings.TrimSuffix(a.value, ".src"))]; ok {
				return v
			}
			if m := quotedText.FindString(a.value); m != "" && !strings.Contains(m, "${") {
				return unquote(m)
			}
		}
	}
	return ""
}

var quotedText = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`")

// dest is an address for a link or image of Markdown.
func dest(s string) string {
	if strings.ContainsAny(s, " ()<>\t\"") {
		return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(s) + ">"
	}
	return s
}

// image is a picture with what is below it.
func image(src, alt, caption string) string {
	if src == "" {
		return ""
	}
	out := "![" + label(firstOf(alt, caption)) + "](" + dest(src) + ")"
	if caption = strings.TrimSpace(caption); caption != "" && caption != alt {
		out += "\n*" + strings.Trim(caption, "*_ ") + "*"
	}
	return out
}

func firstOf(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}

func label(s string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`, "\n", " ").Replace(s)
}

func link(text, address string) string {
	if address == "" {
		return text
	}
	return "[" + label(firstOf(text, address)) + "](" + dest(address) + ")"
}

// refScheme marks an address as the name of another text.
const refScheme = "ref:"

func ref(name string) string {
	u := url.URL{Path: strings.TrimSpace(name)}
	path, part, found := strings.Cut(u.Path, "#")
	out := refScheme + (&url.URL{Path: path}).EscapedPath()
	if found {
		out += "#" + part
	}
	return out
}

// codeBlock is text as code of a language.
func codeBlock(language, text string) string {
	text = strings.Trim(text, "\n")
	if m := fenceLine.FindString(text); m != "" { // it is a block already
		return "\n" + text + "\n\n"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	language = strings.TrimSpace(strings.SplitN(strings.TrimPrefix(language, "lang:"), " ", 2)[0])
	if strings.ContainsAny(language, "\"'`=:<>{}/") {
		language = ""
	}
	return "\n" + fence + language + "\n" + text + "\n" + fence + "\n\n"
}

func escaped(s string) string { return html.EscapeString(s) }

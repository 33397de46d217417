package markup

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// form is the program that a mark is for.
type form int

const (
	plainText form = iota
	block          // {% … %} of Liquid, Nunjucks, Tera and Hexo
	output         // {{ … }} of the same
	shortcode      // {{< … >}} and {{% … %}} of Hugo
	tag            // <Component …> of MDX and Vue
	brace          // { … } of MDX
)

// node is a piece of a text: text, a mark, or a mark with what is between it
// and its end.
type node struct {
	form   form
	name   string // in lower case but for components
	args   string
	attrs  []attr // of a component
	raw    string // as it is in the text
	inner  []node
	paired bool

	closes bool // the end of another
	single bool // it has no end
	alone  bool // nothing else is on its lines
	prefix string
}

// most is how long a mark may be.
const most = 8000

// scanner cuts a text into nodes.
type scanner struct {
	text string
	code []stretch
	mdx  bool
	html bool
	out  []node
	from int // of the text that was not cut off yet
}

func scan(text string, mdx bool) []node {
	return (&scanner{text: text, code: code(text, !mdx), mdx: mdx}).all()
}

// scanMarks is scan for a text that is HTML, whose elements are not marks.
func scanMarks(text string) []node {
	return (&scanner{text: text, code: codeSpans(text, 0, len(text)), html: true}).all()
}

func (s *scanner) all() []node {
	text := s.text
	for i := 0; i < len(text); {
		if len(s.code) > 0 && i >= s.code[0].from {
			i = max(i, s.code[0].to)
			s.code = s.code[1:]
			continue
		}
		n, end := s.mark(i)
		if end == i {
			i++
			continue
		}
		s.add(n, i, end)
		i = end
	}
	s.plain(len(text))
	return s.out
}

func (s *scanner) plain(to int) {
	if to > s.from {
		s.out = append(s.out, node{form: plainText, raw: s.text[s.from:to]})
	}
	s.from = to
}

// add cuts a mark out. Where it has its lines to itself, it takes them along.
func (s *scanner) add(n node, from, to int) {
	n.raw = s.text[from:to]
	start := strings.LastIndexByte(s.text[:from], '\n') + 1
	before := s.text[start:from]
	stop := len(s.text)
	if i := strings.IndexByte(s.text[to:], '\n'); i >= 0 {
		stop = to + i
	}
	n.alone = strings.Trim(before, " \t>") == "" && start >= s.from && strings.TrimSpace(s.text[to:stop]) == ""
	if n.alone {
		n.prefix = before
		s.plain(start)
		to = min(stop+1, len(s.text))
	} else {
		s.plain(from)
	}
	s.out = append(s.out, n)
	s.from = to
}

// mark reads the mark that begins at i; end is i where there is none.
func (s *scanner) mark(i int) (n node, end int) {
	rest := s.text[i:]
	switch {
	case rest[0] == '\\' && len(rest) > 1:
		return n, i
	case strings.HasPrefix(rest, "{%"):
		return s.block(i)
	case strings.HasPrefix(rest, "{{<") || strings.HasPrefix(rest, "{{%"):
		return s.shortcode(i)
	case strings.HasPrefix(rest, "{{"):
		return s.output(i)
	case strings.HasPrefix(rest, "{#"):
		if end := strings.Index(rest[2:min(len(rest), most)], "#}"); end >= 0 && !strings.Contains(rest[2:2+end], "}") {
			return node{form: block, name: "comment", single: true}, i + end + 4
		}
	case rest[0] == '<' && !s.html:
		return s.tag(i)
	case rest[0] == '{' && s.mdx && (i == 0 || s.text[i-1] != '\\') && !strings.HasPrefix(rest, "{#"):
		if end := balanced(s.text, i); end > i {
			return node{form: brace, args: strings.TrimSpace(s.text[i+1 : end-1]), single: true}, end
		}
	}
	return n, i
}

// between is the text from a mark's beginning to its end, which quotes do not
// hide.
func (s *scanner) between(i int, open, shut string) (inner string, end int) {
	rest := s.text[i:min(len(s.text), i+most)]
	n := strings.Index(rest[len(open):], shut)
	if n < 0 {
		return "", i
	}
	return rest[len(open) : len(open)+n], i + len(open) + n + len(shut)
}

var name = regexp.MustCompile(`^(/?\s*[\w.-]+)`)

func (s *scanner) block(i int) (node, int) {
	inner, end := s.between(i, "{%", "%}")
	if end == i {
		return node{}, i
	}
	inner = strings.TrimSpace(strings.Trim(inner, "-"))
	n := node{form: block}
	n.name = strings.ToLower(name.FindString(inner))
	n.args = strings.TrimSpace(inner[min(len(n.name), len(inner)):])
	if n.name == "raw" || n.name == "verbatim" {
		return s.literal(n, end)
	}
	switch {
	case strings.HasPrefix(n.name, "/"):
		n.closes, n.name = true, strings.TrimSpace(n.name[1:])
	case n.name == "end":
		n.closes, n.name = true, ""
	case strings.HasPrefix(n.name, "end") && len(n.name) > 3:
		n.closes, n.name = true, n.name[3:]
	}
	return n, end
}

var endRaw = regexp.MustCompile(`\{%-?\s*end(?:raw|verbatim)\s*-?%\}`)

// literal is what is between raw and endraw, of which nothing is a mark.
func (s *scanner) literal(n node, end int) (node, int) {
	at := endRaw.FindStringIndex(s.text[end:])
	if at == nil {
		n.single = true
		return n, end
	}
	n.inner, n.paired = []node{{form: plainText, raw: s.text[end : end+at[0]]}}, true
	for len(s.code) > 0 && s.code[0].from < end+at[1] {
		s.code = s.code[1:] // code in between is passed over with it
	}
	return n, end + at[1]
}

func (s *scanner) shortcode(i int) (node, int) {
	shut := map[byte]string{'<': ">}}", '%': "%}}"}[s.text[i+2]]
	inner, end := s.between(i, s.text[i:i+3], shut)
	if end == i || strings.Contains(inner, "{{") {
		return node{}, i
	}
	inner = strings.TrimSpace(inner)
	n := node{form: shortcode}
	if rest, ok := strings.CutSuffix(inner, "/"); ok {
		inner, n.single = strings.TrimSpace(rest), true
	}
	if rest, ok := strings.CutPrefix(inner, "/"); ok {
		inner, n.closes = strings.TrimSpace(rest), true
	}
	if strings.HasPrefix(inner, "*") || strings.HasPrefix(inner, "/*") {
		return node{}, i
	}
	n.name, n.args, _ = strings.Cut(inner, " ")
	n.name = strings.ToLower(strings.TrimSpace(n.name))
	return n, end
}

func (s *scanner) output(i int) (node, int) {
	inner, end := s.between(i, "{{", "}}")
	if end == i || strings.Contains(inner, "\n\n") {
		return node{}, i
	}
	return node{form: output, args: strings.TrimSpace(strings.Trim(inner, "-{}")), single: true}, end
}

// balanced is the end of what begins with a brace at i, or i. Quotes hide braces.
func balanced(text string, i int) int {
	depth := 0
	for at := i; at < min(len(text), i+most); at++ {
		switch c := text[at]; c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"', '\'', '`':
			if n := strings.IndexByte(text[at+1:min(len(text), i+most)], c); n >= 0 && (c == '`' || !strings.Contains(text[at+1:at+1+n], "\n")) {
				at += n + 1
			}
		}
	}
	return i
}

// attr is an attribute of a tag.
type attr struct {
	name, value string
	code        bool // the value is between braces
}

var tagName = regexp.MustCompile(`^<(/?)([A-Za-z][\w.-]*(?::[\w-]+)?)(?:[\s/>]|$)`)

// tag reads a component, or an element that has attributes which no HTML has; in
// MDX every element.
func (s *scanner) tag(i int) (node, int) {
	rest := s.text[i:]
	if s.mdx && (strings.HasPrefix(rest, "<>") || strings.HasPrefix(rest, "</>")) {
		end := strings.IndexByte(rest, '>') + 1
		return node{form: tag, name: "Fragment", closes: rest[1] == '/'}, i + end
	}
	m := tagName.FindStringSubmatch(rest[:min(len(rest), 100)])
	if m == nil {
		return node{}, i
	}
	n := node{form: tag, name: m[2], closes: m[1] != ""}
	attrs, single, end := readAttrs(s.text, i+1+len(m[1])+len(m[2]))
	if end == 0 {
		return node{}, i
	}
	n.attrs, n.single = attrs, single
	foreign := func(a attr) bool {
		return a.code || strings.ContainsAny(a.name[:1], "@#:") || strings.HasPrefix(a.name, "v-") || a.name == "className"
	}
	switch {
	case isComponent(n.name), s.mdx:
		return n, end
	case slices.ContainsFunc(attrs, foreign):
		return n, end
	}
	return node{}, i
}

// isComponent tells components from elements of HTML: they begin with a capital
// letter, or have a dot in their name.
func isComponent(name string) bool {
	return name[0] >= 'A' && name[0] <= 'Z' && (strings.ToUpper(name) != name || atom.Lookup([]byte(strings.ToLower(name))) == 0) ||
		strings.Contains(name, ".")
}

// readAttrs reads the attributes of a tag up to its end; end is 0 where there is
// none.
func readAttrs(text string, i int) (attrs []attr, single bool, end int) {
	limit := min(len(text), i+most)
	for i < limit {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\n':
			if i+1 < limit && text[i+1] == '\n' {
				return nil, false, 0
			}
			i++
		case c == '>':
			return attrs, single, i + 1
		case c == '/':
			single = strings.HasPrefix(text[i:], "/>")
			i++
		case c == '{':
			next := balanced(text, i)
			if next == i {
				return nil, false, 0
			}
			i = next
		case c == '<' || c == '"' || c == '\'' || c == '`':
			return nil, false, 0
		default:
			var a attr
			if a, i = readAttr(text, i, limit); i == 0 {
				return nil, false, 0
			}
			attrs = append(attrs, a)
		}
	}
	return nil, false, 0
}

func readAttr(text string, i, limit int) (a attr, end int) {
	start := i
	for i < limit && !strings.ContainsRune(" \t\r\n=/><{\"'", rune(text[i])) {
		i++
	}
	if a.name = text[start:i]; i == start {
		return a, 0
	}
	at := i
	for at < limit && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
		at++
	}
	if at >= limit || text[at] != '=' {
		return a, i
	}
	for at++; at < limit && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'); at++ {
	}
	if at >= limit {
		return a, 0
	}
	switch c := text[at]; c {
	case '"', '\'':
		n := strings.IndexByte(text[at+1:limit], c)
		if n < 0 {
			return a, 0
		}
		a.value = text[at+1 : at+1+n]
		return a, at + n + 2
	case '{':
		next := balanced(text, at)
		if next == at {
			return a, 0
		}
		a.value, a.code = strings.TrimSpace(text[at+1:next-1]), true
		return a, next
	}
	for i = at; i < limit && !strings.ContainsRune(" \t\n>", rune(text[i])); i++ {
	}
	a.value = text[at:i]
	return a, i
}

// tree gives each mark that has an end what is before it. The end of nothing
// is dropped.
func tree(flat []node) []node {
	type open struct {
		node  node
		inner []node
	}
	stack := []open{{}}
	for _, n := range flat {
		top := &stack[len(stack)-1]
		switch {
		case n.form == plainText || n.single || n.paired:
			top.inner = append(top.inner, n)
		case n.closes:
			i := len(stack) - 1
			for i > 0 && (stack[i].node.form != n.form || stack[i].node.name != n.name && n.name != "") {
				i--
			}
			if i == 0 {
				if n.form == tag && !isComponent(n.name) {
					top.inner = append(top.inner, node{form: plainText, raw: n.raw})
				}
				continue
			}
			for j := len(stack) - 1; j > i; j-- { // those without an end are by themselves
				stack[j-1].inner = append(append(stack[j-1].inner, stack[j].node), stack[j].inner...)
			}
			done := stack[i].node
			done.paired, done.inner = true, stack[i].inner
			stack = stack[:i]
			stack[i-1].inner = append(stack[i-1].inner, done)
		default:
			stack = append(stack, open{node: n})
		}
	}
	for j := len(stack) - 1; j > 0; j-- {
		stack[j-1].inner = append(append(stack[j-1].inner, stack[j].node), stack[j].inner...)
	}
	return stack[0].inner
}

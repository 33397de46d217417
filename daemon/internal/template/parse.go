package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/osteele/liquid/expressions"
	"github.com/osteele/liquid/parser"
)

// node is a piece of a parsed template.
type node interface {
	run(r *run, w *writer) error
}

type (
	text   string
	object struct{ expr expressions.Expression }
	assign struct {
		name string
		expr expressions.Expression
	}
	capture struct {
		name string
		body []node
	}
	// choice is if and unless; the condition of else is nil.
	choice struct{ branches []branch }
	branch struct {
		test   expressions.Expression
		negate bool
		body   []node
	}
	// selection is case.
	selection struct {
		subject expressions.Expression
		cases   []when
	}
	when struct {
		values []expressions.Expression // nil for else
		body   []node
	}
	loop struct {
		expressions.Loop
		body, empty []node
	}
	jump struct{ err error }
)

// reader goes through the tokens of a template.
type reader struct {
	tokens []parser.Token
	depth  int
}

func parse(source string) (nodes []node, err error) {
	defer recovered(&err)
	p := &reader{tokens: parser.Scan(source, parser.SourceLoc{LineNo: 1}, nil)}
	p.trim()
	nodes, end, err := p.nodes()
	if err == nil && end.Name != "" {
		err = wrong(end, "%s belongs to no tag before it", end.Name)
	}
	return nodes, err
}

func wrong(at parser.Token, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", at.SourceLoc.LineNo, fmt.Sprintf(format, args...))
}

// trim applies {{- and -}}, which take away the white space beside them.
func (p *reader) trim() {
	var out []parser.Token
	after := false
	for _, t := range p.tokens {
		switch t.Type {
		case parser.TrimLeftTokenType:
			if n := len(out); n > 0 && out[n-1].Type == parser.TextTokenType {
				out[n-1].Source = strings.TrimRight(out[n-1].Source, " \t\r\n")
			}
			continue
		case parser.TrimRightTokenType:
			after = true
			continue
		case parser.TextTokenType:
			if after {
				t.Source = strings.TrimLeft(t.Source, " \t\r\n")
			}
		}
		after = false
		out = append(out, t)
	}
	p.tokens = out
}

func (p *reader) next() (parser.Token, bool) {
	if len(p.tokens) == 0 {
		return parser.Token{}, false
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	return t, true
}

// nodes reads up to a tag that is none of its own: an end, a clause, or the end
// of the template, which has no name.
func (p *reader) nodes() (out []node, end parser.Token, err error) {
	for {
		t, ok := p.next()
		if !ok {
			return out, parser.Token{}, nil
		}
		var n node
		switch {
		case t.Type == parser.TextTokenType:
			if strings.Contains(t.Source, "{{") || strings.Contains(t.Source, "{%") {
				return nil, t, wrong(t, "a placeholder or tag does not end")
			}
			n = text(t.Source)
		case t.Type == parser.ObjTokenType:
			var e expressions.Expression
			e, err = expression(t)
			n = object{e}
		case isEnd(t.Name):
			return out, t, nil
		default:
			n, err = p.tag(t)
		}
		if err != nil {
			return nil, t, err
		}
		if n != nil {
			out = append(out, n)
		}
	}
}

func isEnd(name string) bool {
	return strings.HasPrefix(name, "end") || name == "else" || name == "elsif" || name == "when"
}

// tag reads a tag with its body.
func (p *reader) tag(t parser.Token) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, wrong(t, "tags are nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch t.Name {
	case "assign":
		s, err := statement(t, expressions.AssignStatementSelector)
		if err != nil {
			return nil, err
		}
		return assign{s.Assignment.Variable, s.Assignment.ValueFn}, nil
	case "capture":
		body, err := p.body(t)
		return capture{strings.TrimSpace(t.Args), body}, err
	case "if", "unless":
		return p.choice(t)
	case "case":
		return p.selection(t)
	case "for":
		return p.loop(t)
	case "break":
		return jump{errBreak}, nil
	case "continue":
		return jump{errContinue}, nil
	case "comment", "raw":
		return p.verbatim(t)
	}
	return nil, wrong(t, "the tag %s is not allowed; assign, capture, case, comment, for, if, raw and unless are", t.Name)
}

func (p *reader) body(t parser.Token) ([]node, error) {
	body, end, err := p.nodes()
	if err == nil && end.Name != "end"+t.Name {
		err = wrong(t, "%s has no end%s", t.Name, t.Name)
	}
	return body, err
}

func (p *reader) choice(t parser.Token) (node, error) {
	var c choice
	for at := t; ; {
		b := branch{negate: at.Name == "unless"}
		var err error
		if at.Name != "else" {
			if b.test, err = expression(at); err != nil {
				return nil, err
			}
		}
		var end parser.Token
		if b.body, end, err = p.nodes(); err != nil {
			return nil, err
		}
		c.branches = append(c.branches, b)
		switch {
		case end.Name == "end"+t.Name:
			return c, nil
		case (end.Name != "else" && end.Name != "elsif") || at.Name == "else":
			return nil, wrong(t, "%s has no end%s", t.Name, t.Name)
		}
		at = end
	}
}

func (p *reader) selection(t parser.Token) (node, error) {
	var s selection
	var err error
	if s.subject, err = expression(t); err != nil {
		return nil, err
	}
	_, end, err := p.nodes() // what stands before the first when is nothing
	for err == nil && (end.Name == "when" || end.Name == "else") {
		c := when{}
		if end.Name == "when" {
			var st *expressions.Statement
			if st, err = statement(end, expressions.WhenStatementSelector); err != nil {
				break
			}
			c.values = st.When.Exprs
		}
		c.body, end, err = p.nodes()
		s.cases = append(s.cases, c)
	}
	if err == nil && end.Name != "endcase" {
		err = wrong(t, "case has no endcase")
	}
	return s, err
}

func (p *reader) loop(t parser.Token) (node, error) {
	s, err := statement(t, expressions.LoopStatementSelector)
	if err != nil {
		return nil, err
	}
	l := loop{Loop: s.Loop}
	var end parser.Token
	if l.body, end, err = p.nodes(); err == nil && end.Name == "else" {
		l.empty, end, err = p.nodes()
	}
	if err == nil && end.Name != "endfor" {
		err = wrong(t, "for has no endfor")
	}
	return l, err
}

// verbatim reads comment and raw, whose bodies are no template.
func (p *reader) verbatim(t parser.Token) (node, error) {
	var b strings.Builder
	for {
		in, ok := p.next()
		switch {
		case !ok:
			return nil, wrong(t, "%s has no end%s", t.Name, t.Name)
		case in.Type == parser.TagTokenType && in.Name == "end"+t.Name:
			if t.Name == "comment" {
				return nil, nil
			}
			return text(b.String()), nil
		}
		b.WriteString(in.Source)
	}
}

func expression(t parser.Token) (expressions.Expression, error) {
	if len(t.Args) > maxExpression {
		return nil, wrong(t, "an expression may have at most %d characters", maxExpression)
	}
	e, err := expressions.Parse(t.Args)
	if err != nil {
		return nil, wrong(t, "%q is not an expression", t.Args)
	}
	return e, filtersExist(t)
}

func statement(t parser.Token, selector string) (*expressions.Statement, error) {
	if len(t.Args) > maxExpression {
		return nil, wrong(t, "a tag may have at most %d characters", maxExpression)
	}
	s, err := expressions.ParseStatement(selector, t.Args)
	if err != nil {
		return nil, wrong(t, "%q cannot be read after %s", t.Args, t.Name)
	}
	return s, filtersExist(t)
}

// filtersExist finds filters that there are none of before the template is used.
// Text in quotes is left out; a pipe elsewhere begins a filter's name.
func filtersExist(t parser.Token) error {
	var quote rune
	bare := strings.Map(func(c rune) rune {
		switch {
		case quote != 0 && c == quote:
			quote = 0
			return ' '
		case quote != 0:
			return ' '
		case c == '"' || c == '\'':
			quote = c
			return ' '
		}
		return c
	}, t.Args)
	for i, part := range strings.Split(bare, "|") {
		name := strings.TrimSpace(part)
		if end := strings.IndexFunc(name, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }); end >= 0 {
			name = name[:end]
		}
		if i > 0 && !slices.Contains(filterNames(), name) {
			return wrong(t, "there is no filter %q; there are %s", name, strings.Join(filterNames(), ", "))
		}
	}
	return nil
}

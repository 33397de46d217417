package public

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"golang.org/x/net/html"
)

// What one page may cost: colours are decoration, and text without them is whole.
const (
	maxHighlight   = 64 << 10 // bytes of a block
	highlightBytes = 256 << 10
	highlightTime  = time.Second
)

// highlighter colours the code of one page. What it writes is escaped text in
// spans of its own classes.
type highlighter struct {
	bytes int
	spent time.Duration
}

// code is the HTML of a block of code in a language, false where the language is
// not known or the page has had enough.
func (h *highlighter) code(language, text string) (string, bool) {
	h.bytes += len(text)
	if len(text) > maxHighlight || h.bytes > highlightBytes || h.spent > highlightTime {
		return "", false
	}
	lexer := lexers.Get(language)
	if lexer == nil || lexer == lexers.Fallback {
		return "", false
	}
	begun := time.Now()
	defer func() { h.spent += time.Since(begun) }()
	tokens, err := chroma.Coalesce(lexer).Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: false}, text)
	if err != nil {
		return "", false
	}
	var out strings.Builder
	out.Grow(2 * len(text))
	seen := 0
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if h.spent+time.Since(begun) > highlightTime {
			return "", false
		}
		seen += len(token.Value)
		writeToken(&out, token)
	}
	return out.String(), seen == len(text)
}

func writeToken(out *strings.Builder, token chroma.Token) {
	class := classOf(token.Type)
	if class == "" || strings.TrimSpace(token.Value) == "" {
		out.WriteString(html.EscapeString(token.Value))
		return
	}
	out.WriteString(`<span class="` + class + `">` + html.EscapeString(token.Value) + `</span>`)
}

// classOf is the class of a kind of token, "" for what is shown as it is. There
// are few: a theme is to be read, not to tell all kinds apart.
func classOf(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordConstant:
		return "hl-n"
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameClass, chroma.NameDecorator, chroma.NameException:
		return "hl-f"
	case chroma.NameTag, chroma.NameBuiltin, chroma.NameBuiltinPseudo:
		return "hl-k"
	case chroma.NameAttribute, chroma.NameVariable, chroma.NameVariableClass, chroma.NameVariableGlobal, chroma.NameVariableInstance,
		chroma.NameProperty, chroma.NameKeyword:
		return "hl-a"
	case chroma.OperatorWord:
		return "hl-k"
	case chroma.GenericDeleted:
		return "hl-del"
	case chroma.GenericInserted:
		return "hl-ins"
	case chroma.GenericHeading, chroma.GenericSubheading, chroma.GenericPrompt:
		return "hl-f"
	case chroma.CommentPreproc, chroma.CommentPreprocFile:
		return "hl-a"
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return "hl-k"
	case t.InCategory(chroma.Comment):
		return "hl-c"
	case t.InSubCategory(chroma.LiteralString):
		return "hl-s"
	case t.InSubCategory(chroma.LiteralNumber), t.InCategory(chroma.Literal):
		return "hl-n"
	}
	return ""
}

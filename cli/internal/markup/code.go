package markup

import (
	"regexp"
	"strings"
)

// stretch is a part of a text.
type stretch struct{ from, to int }

var (
	fenceLine = regexp.MustCompile("^(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(`{3,}|~{3,})(.*)$")
	listLine  = regexp.MustCompile(`^ {0,3}(?:[-*+]|[0-9]{1,9}[.)]|\[\^[^\]]+\]:|:)[ \t]`)
	rawHTML   = regexp.MustCompile(`(?i)^<(pre|code|script|style|textarea)\b[^>]*>`)
)

// fence is an open code block.
type fence struct {
	mark string
}

// opens reports that a line begins a code block.
func (f *fence) opens(line string) bool {
	m := fenceLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
	if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
		return false
	}
	f.mark = m[1]
	return true
}

// close ends it, if the line does.
func (f *fence) close(line string) {
	line = strings.Trim(line, " \t\n>")
	if len(line) < len(f.mark) || strings.Trim(line, f.mark[:1]) != "" {
		return
	}
	f.mark = ""
}

func (f *fence) open() bool { return f.mark != "" }

// code finds what marks of other programs do not count in: code blocks, code
// spans, and the HTML elements and comments that are not shown as text. Where
// indented is false there are no code blocks by indentation.
func code(text string, indented bool) []stretch {
	blocks := codeBlocks(text, indented)
	var out []stretch
	at := 0
	for _, b := range append(blocks, stretch{len(text), len(text)}) {
		out = append(out, codeSpans(text, at, b.from)...)
		if b.from < b.to {
			out = append(out, b)
		}
		at = b.to
	}
	return out
}

func codeBlocks(text string, indented bool) []stretch {
	var out []stretch
	var f fence
	at, blank, inList, inCode := 0, true, false, false
	for line := range strings.Lines(text) {
		end := at + len(line)
		deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		empty := strings.TrimSpace(line) == ""
		switch {
		case f.open():
			out[len(out)-1].to = end
			f.close(line)
		case f.opens(line):
			out = append(out, stretch{at, end})
			inCode = false
		case empty:
		case deep && indented && !inList && (blank || inCode):
			if inCode && len(out) > 0 {
				out[len(out)-1].to = end
			} else {
				out = append(out, stretch{at, end})
			}
			inCode = true
		default:
			inCode = false
			if listLine.MatchString(line) {
				inList = true
			} else if !deep && blank {
				inList = false
			}
		}
		blank = empty
		at = end
	}
	return out
}

// codeSpans finds code inside of paragraphs.
func codeSpans(text string, from, to int) []stretch {
	var out []stretch
	for i := from; i < to; {
		end := i
		switch text[i] {
		case '\\':
			i += 2
			continue
		case '`':
			end = spanEnd(text[:to], i)
		case '<':
			end = elementEnd(text[:to], i)
		}
		if end > i {
			out = append(out, stretch{i, end})
			i = end
			continue
		}
		if text[i] == '`' {
			for i < to && text[i] == '`' {
				i++
			}
			continue
		}
		i++
	}
	return out
}

// spanEnd is the end of the code span that begins at i, or i.
func spanEnd(text string, i int) int {
	n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
	for at := i + n; at < len(text); {
		next := strings.IndexAny(text[at:], "`\n")
		if next < 0 {
			return i
		}
		at += next
		if text[at] == '\n' {
			rest := strings.TrimLeft(text[at+1:], " \t>")
			if rest == "" || rest[0] == '\n' {
				return i // the paragraph ends
			}
			at++
			continue
		}
		m := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if m == n {
			return at + m
		}
		at += m
	}
	return i
}

// elementEnd is the end of a comment or of an element whose content is no
// Markdown, or i.
func elementEnd(text string, i int) int {
	rest := text[i:]
	if strings.HasPrefix(rest, "<!--") {
		if n := strings.Index(rest, "-->"); n >= 0 {
			return i + n + 3
		}
		return i
	}
	m := rawHTML.FindStringSubmatch(rest[:min(len(rest), 300)])
	if m == nil || strings.HasSuffix(m[0], "/>") {
		return i
	}
	closing := "</" + strings.ToLower(m[1]) + ">"
	n := strings.Index(strings.ToLower(rest), closing)
	if n < 0 || strings.EqualFold(m[1], "code") && strings.Contains(rest[:n], "\n\n") {
		return i
	}
	return i + n + len(closing)
}

// outside replaces what find matches outside of code by what replace makes of
// it.
func outside(text string, indented bool, find *regexp.Regexp, replace func(match []string) string) string {
	return apart(text, code, indented, find, replace)
}

// outsideBlocks is outside where code spans count as text.
func outsideBlocks(text string, indented bool, find *regexp.Regexp, replace func(match []string) string) string {
	return apart(text, codeBlocks, indented, find, replace)
}

func apart(text string, parts func(string, bool) []stretch, indented bool, find *regexp.Regexp, replace func(match []string) string) string {
	if !find.MatchString(text) {
		return text
	}
	var b strings.Builder
	at := 0
	for _, c := range append(parts(text, indented), stretch{len(text), len(text)}) {
		if c.from > at {
			b.WriteString(find.ReplaceAllStringFunc(text[at:c.from], func(s string) string { return replace(find.FindStringSubmatch(s)) }))
		}
		b.WriteString(text[max(at, c.from):c.to])
		at = c.to
	}
	return b.String()
}

package markup

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// kinds are the boxes that pages show, GitHub's five, by the words that other
// programs have for them.
var kinds = func() map[string]string {
	words := map[string]string{
		"note":      "note info information notice message msg aside abstract summary tldr question help faq example quote cite callout admonition alert box bs-callout seealso todo",
		"tip":       "tip hint success check done",
		"important": "important key",
		"warning":   "warning warn attention",
		"caution":   "caution danger error bug failure fail missing deprecated",
	}
	out := map[string]string{}
	for kind, all := range words {
		for word := range strings.FieldsSeq(all) {
			out[word] = kind
		}
	}
	return out
}()

// isCallout reports a word that names a box.
func isCallout(word string) bool { return kinds[strings.ToLower(word)] != "" }

// callout is a box around text. Without a title it has the word that named it.
func callout(word, title, inner string) string {
	kind := kinds[strings.ToLower(word)]
	if kind == "" {
		kind = "note"
	}
	if title == "" {
		title = capital(strings.ToLower(word))
		switch title {
		case "Callout", "Admonition", "Alert", "Box", "Aside", "Bs-callout", "Message", "Msg", "":
			title = capital(kind)
		}
	}
	return "\n<div class=\"markdown-alert markdown-alert-" + kind + "\">\n<div class=\"markdown-alert-title\">\n\n" + title + "\n\n</div>\n\n" +
		strings.Trim(inner, "\n") + "\n\n</div>\n\n"
}

// details is text that opens when its title is chosen.
func details(title, inner string, open bool) string {
	attr := ""
	if open {
		attr = " open"
	}
	if title == "" {
		title = "Details"
	}
	return "\n<details" + attr + ">\n<summary>" + html.EscapeString(plainInline(title)) + "</summary>\n\n" + strings.Trim(inner, "\n") + "\n\n</details>\n\n"
}

var inlineMarks = strings.NewReplacer("**", "", "__", "", "`", "")

// plainInline is a line of Markdown without its commonest marks.
func plainInline(s string) string { return strings.TrimSpace(inlineMarks.Replace(s)) }

func capital(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

var (
	quoteAlert = regexp.MustCompile(`^([ \t]*)>[ \t]?\[!([\w-]+)(?:\|[^\]]*)?\]([+-]?)[ \t]*(.*)$`)
	container  = regexp.MustCompile(`^([ \t]*)(:{3,})[ \t]*([A-Za-z{][^\n]*?)[ \t]*:*$`)
	closing    = regexp.MustCompile(`^[ \t]*:{3,}[ \t]*$`)
	titled     = regexp.MustCompile(`^([\w-]+)(?:\[(.*)\])?[ \t]*(.*)$`)
	mkdocs     = regexp.MustCompile(`^([ \t]*)(!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+[\w-]+)*[ \t]*(?:"(.*)")?[ \t]*$`)
	fenceLabel = regexp.MustCompile("^([ \t]*)((?:`{3,}|~{3,})[^\n\\[]*)\\[([^\\]\n]+)\\](.*)$")
	attributes = regexp.MustCompile(`\{[^{}]*\}$`)
)

// containers makes boxes of the blocks that other programs have for them: quotes
// that begin with [!NOTE], blocks between ::: and :::, and those of MkDocs.
func containers(text string, deep int) string {
	if deep > maxDepth || !strings.Contains(text, "[!") && !strings.Contains(text, ":::") && !strings.Contains(text, "!!!") && !strings.Contains(text, "???") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	var f fence
	for i := 0; i < len(lines); {
		line := strings.TrimRight(lines[i], "\n")
		if f.open() {
			f.close(line)
			b.WriteString(lines[i])
			i++
			continue
		}
		next, made := box(lines, i, line, deep)
		switch {
		case next > i:
			b.WriteString(made)
			i = next
		case closing.MatchString(line): // of nothing
			i++
		default:
			f.opens(line)
			b.WriteString(lines[i])
			i++
		}
	}
	return b.String()
}

const maxDepth = 20

// box is the box that begins at a line and the line after it, or i.
func box(lines []string, i int, line string, deep int) (next int, made string) {
	if m := quoteAlert.FindStringSubmatch(line); m != nil {
		inner, next := quoted(lines, i+1)
		return next, indent(fold(m[2], m[4], m[3], containers(inner, deep+1)), m[1])
	}
	if m := mkdocs.FindStringSubmatch(line); m != nil {
		inner, next := deeper(lines, i+1, len(m[1]))
		sign := map[string]string{"???": "-", "???+": "+"}[m[2]]
		return next, indent(fold(m[3], m[4], sign, containers(inner, deep+1)), m[1])
	}
	if m := container.FindStringSubmatch(line); m != nil {
		inner, next := fenced(lines, i+1, len(m[2]))
		return next, indent(named(m[3], unindent(inner, m[1]), deep), m[1])
	}
	return i, ""
}

// fold is a box, or text that opens: where sign is - or +.
func fold(word, title, sign, inner string) string {
	if sign == "" {
		return callout(word, title, inner)
	}
	if title == "" {
		title = capital(strings.ToLower(word))
	}
	return details(title, inner, sign == "+")
}

// named is the content of ::: name.
func named(name, inner string, deep int) string {
	name = strings.TrimSpace(attributes.ReplaceAllString(name, ""))
	m := titled.FindStringSubmatch(name)
	if m == nil { // attributes alone
		return "\n" + containers(inner, deep+1) + "\n"
	}
	word, title := strings.ToLower(m[1]), strings.TrimSpace(m[2]+" "+m[3])
	inner = containers(inner, deep+1)
	switch {
	case word == "details" || word == "collapse" || word == "spoiler":
		return details(title, inner, false)
	case strings.HasPrefix(word, "code-"):
		return "\n" + labelled(inner) + "\n"
	case isCallout(word):
		return callout(word, title, inner)
	case title != "" && word != "v-pre" && word != "raw":
		return callout("note", title, inner)
	}
	return "\n" + inner + "\n"
}

// labelled shows the label of each code block of a group above it.
func labelled(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := fenceLabel.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			line = "\n" + m[1] + "**" + m[3] + "**\n\n" + m[1] + strings.TrimRight(m[2], " ") + m[4] + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// quoted are the lines of a quote from i on, without their mark.
func quoted(lines []string, i int) (inner string, next int) {
	var b strings.Builder
	for ; i < len(lines); i++ {
		rest, ok := strings.CutPrefix(strings.TrimLeft(lines[i], " \t"), ">")
		if !ok {
			break
		}
		b.WriteString(strings.TrimPrefix(rest, " "))
	}
	return b.String(), i
}

// deeper are the lines from i on that are indented by more than n, and by that
// much less.
func deeper(lines []string, i, n int) (inner string, next int) {
	var kept []string
	for ; i < len(lines); i++ {
		line := lines[i]
		blank := strings.TrimSpace(line) == ""
		if !blank && len(line)-len(strings.TrimLeft(line, " \t")) <= n {
			break
		}
		kept = append(kept, line)
	}
	for len(kept) > 0 && strings.TrimSpace(kept[len(kept)-1]) == "" {
		kept, i = kept[:len(kept)-1], i-1
	}
	return dedent(strings.Join(kept, "")), i
}

// fenced are the lines from i on up to the ::: that ends the block.
func fenced(lines []string, i, _ int) (inner string, next int) {
	var b strings.Builder
	var f fence
	for depth := 1; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\n")
		switch {
		case f.open():
			f.close(line)
		case closing.MatchString(line):
			if depth--; depth == 0 {
				return b.String(), i + 1
			}
		case container.MatchString(line):
			depth++
		default:
			f.opens(line)
		}
		b.WriteString(lines[i])
	}
	return b.String(), i
}

// indent puts a prefix before each line that is not empty.
func indent(text, prefix string) string {
	if prefix == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}

// unindent takes a prefix off the lines that have it.
func unindent(text, prefix string) string {
	if prefix == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, prefix))
	}
	return b.String()
}

// dedent takes off the blanks that all lines begin with.
func dedent(text string) string {
	common := ""
	first := true
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(rest) == "" {
			continue
		}
		lead := line[:len(line)-len(rest)]
		if first {
			common, first = lead, false
			continue
		}
		for !strings.HasPrefix(lead, common) {
			common = common[:len(common)-1]
		}
	}
	return unindent(text, common)
}

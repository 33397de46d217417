package wordpress

import (
	"fmt"
	"regexp"
	"strings"
)

// block are the elements that have lines of their own.
const block = `(?:table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|summary|iframe|video|audio|script)`

var (
	preElement   = regexp.MustCompile(`(?is)<pre\b[^>]*>.*?</pre>|<script\b[^>]*>.*?</script>|<style\b[^>]*>.*?</style>|<textarea\b[^>]*>.*?</textarea>`)
	doubleBreak  = regexp.MustCompile(`(?i)<br\s*/?>\s*<br\s*/?>`)
	beforeBlock  = regexp.MustCompile(`(?i)(<` + block + `(?:[\s/>]))`)
	afterBlock   = regexp.MustCompile(`(?i)(</` + block + `>)`)
	anyElement   = regexp.MustCompile(`<[^<>]*>`)
	beforeUnder  = regexp.MustCompile(`(?i)\s*(<figcaption[^>]*>)`)
	afterUnder   = regexp.MustCompile(`(?i)(</figcaption>)\s*`)
	blankLines   = regexp.MustCompile(`\n\s*\n`)
	emptyP       = regexp.MustCompile(`<p>\s*</p>`)
	openInBox    = regexp.MustCompile(`(?i)<p>([^<]+)</(div|address|form)>`)
	aloneInP     = regexp.MustCompile(`(?i)<p>\s*(</?` + block + `(?:\s[^>]*)?/?>)\s*</p>`)
	itemInP      = regexp.MustCompile(`(?i)<p>(<li.+?)</p>`)
	quoteInP     = regexp.MustCompile(`(?i)<p><blockquote([^>]*)>`)
	afterOpenP   = regexp.MustCompile(`(?i)<p>\s*(</?` + block + `(?:\s[^>]*)?/?>)`)
	beforeCloseP = regexp.MustCompile(`(?i)(</?` + block + `(?:\s[^>]*)?/?>)\s*</p>`)
	breakLine    = regexp.MustCompile(`(?i)<br\s*/?>\s*\n`)
	newLine      = regexp.MustCompile(`[ \t]*\n`)
	breakAfter   = regexp.MustCompile(`(?i)(</?` + block + `(?:\s[^>]*)?/?>)\s*<br>`)
	breakBefore  = regexp.MustCompile(`(?i)<br>(\s*</?(?:p|li|div|dl|dd|dt|th|pre|td|ul|ol)(?:\s[^>]*)?>)`)
	lastLine     = regexp.MustCompile(`\n</p>(\n|$)`)
)

// autop makes paragraphs and breaks of empty lines and ends of lines, as
// WordPress does when it shows what the classic editor wrote.
func autop(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var kept []string
	text = preElement.ReplaceAllStringFunc(text, func(pre string) string {
		kept = append(kept, pre)
		return fmt.Sprintf("<pre data-kept=%d></pre>", len(kept)-1)
	})
	text = doubleBreak.ReplaceAllString(text+"\n", "\n\n")
	text = beforeBlock.ReplaceAllString(text, "\n\n$1")
	text = afterBlock.ReplaceAllString(text, "$1\n\n")
	text = anyElement.ReplaceAllStringFunc(text, func(tag string) string { return strings.ReplaceAll(tag, "\n", " ") })
	text = afterUnder.ReplaceAllString(beforeUnder.ReplaceAllString(text, "$1"), "$1")
	var b strings.Builder
	for _, part := range blankLines.Split(text, -1) {
		if part = strings.Trim(part, "\n"); strings.TrimSpace(part) != "" {
			b.WriteString("<p>" + part + "</p>\n")
		}
	}
	text = emptyP.ReplaceAllString(b.String(), "")
	text = openInBox.ReplaceAllString(text, "<p>$1</p></$2>")
	text = aloneInP.ReplaceAllString(text, "$1")
	text = itemInP.ReplaceAllString(text, "$1")
	text = quoteInP.ReplaceAllString(text, "<blockquote$1><p>")
	text = strings.ReplaceAll(text, "</blockquote></p>", "</p></blockquote>")
	text = afterOpenP.ReplaceAllString(text, "$1")
	text = beforeCloseP.ReplaceAllString(text, "$1")
	text = breakLine.ReplaceAllString(text, "\x01")
	text = newLine.ReplaceAllString(text, "<br>\n")
	text = strings.ReplaceAll(text, "\x01", "<br>\n")
	text = strings.ReplaceAll(text, "</p><br>\n", "</p>\n")
	text = breakAfter.ReplaceAllString(text, "$1")
	text = breakBefore.ReplaceAllString(text, "$1")
	text = lastLine.ReplaceAllString(text, "</p>$1")
	for i, pre := range kept {
		text = strings.Replace(text, fmt.Sprintf("<pre data-kept=%d></pre>", i), pre, 1)
	}
	return text
}

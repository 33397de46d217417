package jobs

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// Bounds of what is taken from a model; what posts accept is at least that.
const (
	maxHTML        = 1 << 20
	maxDescription = 300
	maxTags        = 8
	maxTag         = 60
	maxPostTags    = 50
)

var (
	errNothing  = errors.New("the model wrote nothing usable")
	errTooLarge = errors.New("the model wrote more than a post may hold")
)

var (
	fencePattern = regexp.MustCompile("(?s)^\\s*```[a-zA-Z]*\\s*\n(.*?)\n?```\\s*$")
	bodyPattern  = regexp.MustCompile(`(?is)<body[^>]*>(.*?)(</body>|$)`)
	titlePattern = regexp.MustCompile(`(?is)^\s*<h1[^>]*>.*?</h1>\s*`)
	tagPattern   = regexp.MustCompile(`(?i)<(p|h[1-6]|ul|ol|div|section|blockquote|pre|table|figure)\b`)
	listMark     = regexp.MustCompile(`^([-*•]\s*|\d+[.)]\s+)?#?`)
	labelPattern = regexp.MustCompile(`(?i)^(meta )?(description|tags)\s*:\s*`)
)

// unfence takes a text out of the code fence that models like to put it in, and
// drops what no post may hold.
func unfence(text string) string {
	if m := fencePattern.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.TrimSpace(text)
}

// cleanHTML makes an HTML fragment of what a model wrote: the body of a whole
// document, HTML of Markdown, without a title of its own. It is not sanitised;
// that is done where it is shown.
func cleanHTML(text string) (string, error) {
	text = unfence(text)
	if m := bodyPattern.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	if !tagPattern.MatchString(text) {
		converted, err := safehtml.Markdown(text)
		if err != nil {
			return "", err
		}
		text = converted
	}
	text = strings.TrimSpace(titlePattern.ReplaceAllString(text, ""))
	if len(text) > maxHTML {
		return "", errTooLarge
	}
	if strings.TrimSpace(safehtml.Text(text)) == "" {
		return "", errNothing
	}
	return text, nil
}

// cleanLine makes one line of plain text of what a model wrote.
func cleanLine(text string) string {
	text = labelPattern.ReplaceAllString(unfence(text), "")
	if strings.Contains(text, "<") {
		text = safehtml.Text(text)
	}
	text = strings.Trim(strings.Join(strings.Fields(text), " "), "\"“”*` ")
	if utf8.RuneCountInString(text) <= maxDescription {
		return text
	}
	cut := string([]rune(text)[:maxDescription-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:–—-.") + "…"
}

// cleanTags reads tags from a list with commas or lines, with or without list
// marks and hashes, or from a JSON list.
func cleanTags(text string) []string {
	text = labelPattern.ReplaceAllString(unfence(text), "")
	var list []string
	if json.Unmarshal([]byte(text), &list) != nil {
		list = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == ';' || r == '、' || r == '，' })
	}
	var tags []string
	seen := map[string]bool{}
	for _, tag := range list {
		tag = listMark.ReplaceAllString(strings.TrimSpace(tag), "")
		tag = strings.ToLower(strings.Trim(tag, "\"'`“” "))
		if tag == "" || utf8.RuneCountInString(tag) > maxTag || seen[tag] || len(tags) == maxTags {
			continue
		}
		seen[tag] = true
		tags = append(tags, tag)
	}
	return tags
}

// mergeTags adds tags to those that a person chose.
func mergeTags(own, made []string) []string {
	out := append([]string(nil), own...)
	for _, tag := range made {
		if len(out) < maxPostTags {
			out = append(out, tag)
		}
	}
	return out
}

package ghost

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/exported"
)

func escapeText(s string) string { return html.EscapeString(s) }

// mobiledocDoc is a text of Ghost's older editor (github.com/bustle/mobiledoc-kit,
// MOBILEDOC.md).
type mobiledocDoc struct {
	Atoms    [][]any           `json:"atoms"`
	Cards    [][]any           `json:"cards"`
	Markups  [][]any           `json:"markups"`
	Sections []json.RawMessage `json:"sections"`

	changes *exported.Changes
}

func mobiledoc(src string, c *exported.Changes) (string, error) {
	d := mobiledocDoc{changes: c}
	if err := json.Unmarshal([]byte(src), &d); err != nil {
		return "", fmt.Errorf("its Mobiledoc is not JSON: %w", err)
	}
	var b strings.Builder
	for _, raw := range d.Sections {
		var s []any
		if err := json.Unmarshal(raw, &s); err != nil || len(s) < 2 {
			continue
		}
		out, err := d.section(s)
		if err != nil {
			return "", err
		}
		b.WriteString(out)
	}
	return b.String(), nil
}

// The kinds of sections.
const (
	markupSection = 1
	imageSection  = 2
	listSection   = 3
	cardSection   = 10
)

// blocks are the tags that a section may have.
var blocks = []string{"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "aside", "pull-quote"}

func (d *mobiledocDoc) section(s []any) (string, error) {
	kind, _ := s[0].(float64)
	name, _ := s[1].(string)
	switch int(kind) {
	case markupSection:
		if len(s) < 3 {
			return "", nil
		}
		tag := strings.ToLower(name)
		if !slices.Contains(blocks, tag) {
			tag = "p"
		}
		if tag == "aside" || tag == "pull-quote" {
			tag = "blockquote"
		}
		return "<" + tag + ">" + d.markers(s[2]) + "</" + tag + ">", nil
	case imageSection:
		return exported.Picture{Src: name}.HTML(), nil
	case listSection:
		if len(s) < 3 {
			return "", nil
		}
		tag := "ul"
		if name == "ol" {
			tag = "ol"
		}
		items, _ := s[2].([]any)
		var b strings.Builder
		for _, item := range items {
			b.WriteString("<li>" + d.markers(item) + "</li>")
		}
		return "<" + tag + ">" + b.String() + "</" + tag + ">", nil
	case cardSection:
		i, _ := s[1].(float64)
		if i < 0 || int(i) >= len(d.Cards) || len(d.Cards[int(i)]) < 1 {
			return "", nil
		}
		c := d.Cards[int(i)]
		kind, _ := c[0].(string)
		var p map[string]any
		if len(c) > 1 {
			p, _ = c[1].(map[string]any)
		}
		return card(kind, p, d.changes)
	}
	return "", nil
}

// markers are the parts of a line: each opens some markups, has a text or an atom,
// and closes some.
func (d *mobiledocDoc) markers(v any) string {
	all, _ := v.([]any)
	var b strings.Builder
	var open []string
	for _, one := range all {
		m, _ := one.([]any)
		if len(m) < 4 {
			continue
		}
		indexes, _ := m[1].([]any)
		for _, index := range indexes {
			tag, start := d.markup(index)
			b.WriteString(start)
			open = append(open, tag)
		}
		if kind, _ := m[0].(float64); kind == 1 {
			b.WriteString(d.atom(m[3]))
		} else if text, ok := m[3].(string); ok {
			b.WriteString(escapeText(text))
		}
		closes, _ := m[2].(float64)
		for range int(min(closes, float64(len(open)))) {
			b.WriteString(endTag(open[len(open)-1]))
			open = open[:len(open)-1]
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		b.WriteString(endTag(open[i]))
	}
	return b.String()
}

func endTag(tag string) string {
	if tag == "" {
		return ""
	}
	return "</" + tag + ">"
}

// inlines are the tags that a markup may have.
var inlines = []string{"a", "b", "strong", "i", "em", "s", "u", "code", "sub", "sup", "mark", "del", "small"}

func (d *mobiledocDoc) markup(index any) (tag, start string) {
	i, _ := index.(float64)
	if i < 0 || int(i) >= len(d.Markups) || len(d.Markups[int(i)]) == 0 {
		return "", ""
	}
	m := d.Markups[int(i)]
	tag, _ = m[0].(string)
	tag = strings.ToLower(tag)
	if !slices.Contains(inlines, tag) {
		return "", ""
	}
	start = "<" + tag
	if attributes, _ := sliceAt(m, 1).([]any); tag == "a" {
		for j := 0; j+1 < len(attributes); j += 2 {
			if attributes[j] == "href" {
				href, _ := attributes[j+1].(string)
				start += ` href="` + exported.Escape(href) + `"`
			}
		}
	}
	return tag, start + ">"
}

func sliceAt(s []any, i int) any {
	if i < len(s) {
		return s[i]
	}
	return nil
}

func (d *mobiledocDoc) atom(index any) string {
	i, _ := index.(float64)
	if i < 0 || int(i) >= len(d.Atoms) || len(d.Atoms[int(i)]) < 2 {
		return ""
	}
	a := d.Atoms[int(i)]
	if a[0] == "soft-return" {
		return "<br>"
	}
	text, _ := a[1].(string)
	return escapeText(text)
}

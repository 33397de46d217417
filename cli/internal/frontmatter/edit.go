package frontmatter

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// span is where a top-level member is in the data, with its comments at the
// end of lines and the line breaks.
type span struct {
	key      string
	from, to int
}

func (d *Doc) spans() []span {
	switch d.Format {
	case YAML:
		return yamlSpans(d.data)
	case TOML:
		return tomlSpans(d.data)
	}
	return nil
}

func (d *Doc) span(key string) (from, to int, found bool) {
	for _, s := range d.spans() {
		if s.key == key {
			return s.from, s.to, true
		}
	}
	return 0, 0, false
}

var yamlKey = regexp.MustCompile(`^(?:"([^"]+)"|'([^']+)'|([^\s#"'{}\[\],&*!|>%@\-][^:#]*?))\s*:(?:\s|$)`)

// yamlSpans finds the members by their lines: one begins in the first column,
// and goes on until the next that does. Comments and blank lines between two
// belong to none.
func yamlSpans(data string) []span {
	var out []span
	at := 0
	quiet := 0 // bytes of comments and blank lines at the end of what was read
	for line := range strings.Lines(data) {
		trimmed := strings.TrimSpace(line)
		switch m := yamlKey.FindStringSubmatch(line); {
		case m != nil:
			out = append(out, span{key: m[1] + m[2] + m[3], from: at, to: at + len(line)})
			quiet = 0
		case trimmed == "" || strings.HasPrefix(line, "#"):
			quiet += len(line)
		case len(out) > 0:
			out[len(out)-1].to += quiet + len(line)
			quiet = 0
		}
		at += len(line)
	}
	return out
}

var (
	tomlKey   = regexp.MustCompile(`^\s*(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*(?:\.[\w.\s"-]+)?=`)
	tomlTable = regexp.MustCompile(`^\s*\[\[?\s*["']?([\w-]+)`)
)

// tomlSpans finds the members above the first table, and each table.
func tomlSpans(data string) []span {
	var out []span
	at, table := 0, ""
	open := "" // the quotes or brackets in which the value goes on
	for line := range strings.Lines(data) {
		switch {
		case open != "":
			out[len(out)-1].to = at + len(line)
			open = stillOpen(line, open)
		case tomlTable.MatchString(line):
			table = tomlTable.FindStringSubmatch(line)[1]
			out = append(out, span{key: table, from: at, to: at + len(line)})
		case table != "":
			out[len(out)-1].to = at + len(line)
		default:
			if m := tomlKey.FindStringSubmatch(line); m != nil {
				out = append(out, span{key: m[1] + m[2] + m[3], from: at, to: at + len(line)})
				open = stillOpen(line[strings.IndexByte(line, '=')+1:], "")
			}
		}
		at += len(line)
	}
	return out
}

// stillOpen is what a line of TOML leaves open: a text of three quotes, or as
// many brackets.
func stillOpen(line, open string) string {
	for _, quotes := range []string{`"""`, `'''`} {
		if open == quotes || open == "" && strings.HasPrefix(strings.TrimSpace(line), quotes) {
			if strings.Count(line, quotes)%2 == 1 == (open == "") {
				return quotes
			}
			return ""
		}
	}
	depth := len(open)
	quote := rune(0)
	for _, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#':
			return strings.Repeat("[", max(depth, 0))
		case r == '[' || r == '{':
			depth++
		case r == ']' || r == '}':
			depth--
		}
	}
	return strings.Repeat("[", max(depth, 0))
}

// Set gives a member another value, or adds it at the end. Nothing else of the
// file changes. A file without front matter gets YAML.
func (d *Doc) Set(key string, value any) error {
	for i, m := range d.Members {
		if m.Key == key {
			d.Members[i].Value = value
			return d.write(key, value)
		}
	}
	d.Members = append(d.Members, Member{Key: key, Value: value})
	return d.write(key, value)
}

// Remove takes a member away.
func (d *Doc) Remove(key string) error {
	i := slices.IndexFunc(d.Members, func(m Member) bool { return m.Key == key })
	if i < 0 {
		return nil
	}
	d.Members = slices.Delete(d.Members, i, i+1)
	if d.Format == JSON {
		return d.writeJSON()
	}
	if from, to, found := d.span(key); found {
		d.data = d.data[:from] + d.data[to:]
	}
	return nil
}

func (d *Doc) write(key string, value any) error {
	switch d.Format {
	case JSON:
		return d.writeJSON()
	case None:
		d.Format, d.open, d.close = YAML, "---\n", "---\n"
		if d.gap == "" {
			d.gap = "\n"
		}
	}
	line, err := d.marshal(key, value)
	if err != nil {
		return fmt.Errorf("write front matter: %w", err)
	}
	if from, to, found := d.span(key); found {
		if comment := trailing(d.data[from:to]); comment != "" && strings.Count(line, "\n") == 1 {
			line = strings.TrimSuffix(line, "\n") + comment + "\n"
		}
		d.data = d.data[:from] + line + d.data[to:]
		return nil
	}
	at := len(d.data)
	if d.Format == TOML {
		for _, s := range tomlSpans(d.data) { // members of the file are above its tables
			if tomlTable.MatchString(d.data[s.from:s.to]) {
				at = s.from
				break
			}
		}
	}
	if at > 0 && d.data[at-1] != '\n' {
		line = "\n" + line
	}
	d.data = d.data[:at] + line + d.data[at:]
	return nil
}

var comment = regexp.MustCompile(`^[^"'\n]*(?:"[^"\n]*"|'[^'\n]*')?[^"'\n]*?(\s+#[^\n]*)\n?$`)

// trailing is the comment behind a member of one line.
func trailing(member string) string {
	if m := comment.FindStringSubmatch(member); m != nil {
		return m[1]
	}
	return ""
}

func (d *Doc) marshal(key string, value any) (string, error) {
	if d.Format == TOML {
		b, err := toml.Marshal(map[string]any{key: loose(value)})
		return string(b), err
	}
	b, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: key, Value: loose(value)}}, yaml.IndentSequence(true))
	return string(b), err
}

// loose is a value for encoders.
func loose(v any) any {
	switch v := v.(type) {
	case Map:
		out := map[string]any{}
		for _, m := range v {
			out[m.Key] = loose(m.Value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = loose(v[i])
		}
		return out
	}
	return v
}

// writeJSON writes all members again, in their order.
func (d *Doc) writeJSON() error {
	var b strings.Builder
	b.WriteString("{")
	for i, m := range d.Members {
		value, err := json.MarshalIndent(loose(m.Value), "  ", "  ")
		if err != nil {
			return fmt.Errorf("write front matter: %w", err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return fmt.Errorf("write front matter: %w", err)
		}
		fmt.Fprintf(&b, "\n  %s: %s", key, value)
	}
	b.WriteString("\n}")
	d.data = b.String()
	if d.close == "" {
		d.close = "\n"
	}
	return nil
}

// SetBody replaces the text below the front matter.
func (d *Doc) SetBody(body string) { d.Body = strings.TrimLeft(body, "\n") }

// Bytes is the file as it is on disk.
func (d *Doc) Bytes() []byte {
	text := d.open + d.data + d.close + d.gap + d.Body
	if d.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(d.mark + text)
}

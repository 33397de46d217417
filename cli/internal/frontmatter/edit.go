package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
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
	case JSON:
		return jsonSpans(d.data)
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
		case len(out) > 0 && strings.ContainsAny(line[:1], " \t-]}"):
			out[len(out)-1].to += quiet + len(line)
			quiet = 0
		default: // a member of another form
			out = append(out, span{from: at, to: at + len(line)})
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
// file changes, and the value is written as the one before was: in its quotes, in
// its brackets. A file without front matter gets YAML.
func (d *Doc) Set(key string, value any) error {
	if d.Format == None {
		d.Format, d.open, d.close = YAML, "---\n", "---\n"
		if d.gap == "" {
			d.gap = "\n"
		}
	}
	from, to, found := d.span(key)
	if d.Format == TOML && strings.HasPrefix(strings.TrimLeft(d.data[from:to], " \t"), "[") {
		return fmt.Errorf("write front matter: %s is a table", key)
	}
	var err error
	switch {
	case d.Format == JSON:
		err = d.setJSON(key, value, from, to, found)
	case found:
		var text string
		if text, err = d.again(d.data[from:to], key, value); err == nil {
			d.data = d.data[:from] + text + d.data[to:]
		}
	default:
		err = d.add(key, value)
	}
	if err != nil {
		return fmt.Errorf("write front matter: %w", err)
	}
	return d.decode()
}

// SetIn is Set of a member of an object: of a block in YAML, of a table in TOML.
func (d *Doc) SetIn(outer, key string, value any) error {
	from, to, found := d.span(outer)
	if !found || d.Format == JSON {
		return fmt.Errorf("write front matter: %s has no block", outer)
	}
	head, inner, _ := strings.Cut(d.data[from:to], "\n")
	indent := inner[:len(inner)-len(strings.TrimLeft(inner, " \t"))]
	if d.Format == YAML && (indent == "" || yamlValue(head) != "") {
		return fmt.Errorf("write front matter: %s is not a block", outer)
	}
	var flat strings.Builder
	for line := range strings.Lines(inner) {
		rest, ok := strings.CutPrefix(line, indent)
		if !ok && strings.TrimSpace(line) != "" {
			return fmt.Errorf("write front matter: %s has lines without its indentation", outer)
		}
		flat.WriteString(rest)
	}
	sub := &Doc{Format: d.Format, data: flat.String()}
	if err := sub.Set(key, value); err != nil {
		return err
	}
	var back strings.Builder
	for line := range strings.Lines(sub.data) {
		if strings.TrimSpace(line) != "" {
			back.WriteString(indent)
		}
		back.WriteString(line)
	}
	d.data = d.data[:from] + head + "\n" + back.String() + d.data[to:]
	return d.decode()
}

func yamlValue(line string) string {
	_, value, _ := strings.Cut(line, ":")
	return strings.TrimSpace(strings.TrimSuffix(value, trailing(line)))
}

// Remove takes a member away.
func (d *Doc) Remove(key string) error {
	from, to, found := d.span(key)
	if !found {
		return nil
	}
	if d.Format == JSON { // the comma goes with it
		rest := strings.TrimLeft(d.data[to:], " \t\n")
		before := strings.TrimRight(d.data[:from], " \t\n")
		switch {
		case strings.HasPrefix(rest, ","):
			to = len(d.data) - len(strings.TrimLeft(rest[1:], " \t\n"))
		case strings.HasSuffix(before, ","):
			from = len(before) - 1
		}
	}
	d.data = d.data[:from] + d.data[to:]
	return d.decode()
}

// add writes a member that is not there yet below the others.
func (d *Doc) add(key string, value any) error {
	line, err := d.marshal(key, value, true)
	if err != nil {
		return err
	}
	at := len(d.data)
	if d.Format == TOML {
		at = 0
		for _, s := range tomlSpans(d.data) { // members of the file are above its tables
			if tomlTable.MatchString(d.data[s.from:s.to]) {
				break
			}
			at = s.to
		}
	}
	if at > 0 && d.data[at-1] != '\n' {
		line = "\n" + line
	}
	d.data = d.data[:at] + line + d.data[at:]
	return nil
}

var (
	comment = regexp.MustCompile(`^[^"'\n]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')?[^"'\n]*?(\s+#[^\n]*)\n?$`)
	opening = regexp.MustCompile(`^(?:"[^"]+"|'[^']+'|[^\s:=]+)\s*[:=][ \t]*`)
)

// trailing is the comment behind a member of one line.
func trailing(member string) string {
	if m := comment.FindStringSubmatch(member); m != nil {
		return m[1]
	}
	return ""
}

// again writes a member as it was written before, with another value.
func (d *Doc) again(was, key string, value any) (string, error) {
	line, err := d.marshal(key, value, !strings.Contains(was, "\n- "))
	if err != nil || strings.Count(strings.TrimRight(was, "\n"), "\n") > 0 {
		return line, err
	}
	behind := trailing(was)
	begin := opening.FindString(was)
	old := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(was, "\n"), behind)[len(begin):])
	text, ok := d.alike(old, value)
	switch {
	case ok && begin != "":
	case strings.Count(line, "\n") == 1:
		text = strings.TrimSuffix(line[len(opening.FindString(line)):], "\n")
		if begin == "" {
			begin = opening.FindString(line)
		}
	default:
		return line, nil
	}
	if !strings.HasSuffix(begin, " ") && d.Format == YAML {
		begin += " "
	}
	return begin + text + behind + "\n", nil
}

// alike is a value in the form of another.
func (d *Doc) alike(old string, value any) (string, bool) {
	if at, ok := value.(time.Time); ok {
		value = at.Format(time.RFC3339)
		if d.Format == TOML && !strings.HasPrefix(old, `"`) && !strings.HasPrefix(old, `'`) {
			return at.Format(time.RFC3339), true
		}
	}
	switch v := value.(type) {
	case string:
		switch {
		case strings.HasPrefix(old, `"`) && !strings.HasPrefix(old, `"""`):
			return quoted(v), true
		case strings.HasPrefix(old, `'`) && !strings.HasPrefix(old, `'''`) && !strings.ContainsAny(v, "\n\t") && (d.Format == YAML || !strings.Contains(v, "'")):
			return "'" + strings.ReplaceAll(v, "'", "''") + "'", true
		case d.Format == YAML && old != "" && !strings.ContainsAny(old[:1], "\"'[{|>&*!%@`") && plainText.MatchString(v) && !notText.MatchString(v) && !strings.Contains(v, ": ") && !strings.Contains(v, " #"):
			return v, true
		case d.Format == TOML && bareTime.MatchString(old) && bareTime.MatchString(v):
			return v, true
		}
	case []any:
		if !strings.HasPrefix(old, "[") {
			return "", false
		}
		inner := strings.TrimSpace(strings.Trim(old, "[]"))
		pad := ""
		if strings.HasPrefix(old, "[ ") {
			pad = " "
		}
		items := make([]string, len(v))
		for i, item := range v {
			s, ok := item.(string)
			if !ok {
				return "", false
			}
			text, ok := "", false
			if strings.HasPrefix(inner, `"`) || strings.HasPrefix(inner, `'`) {
				text, ok = d.alike(inner, s)
			}
			switch {
			case ok:
				items[i] = text
			case d.Format == YAML && plainItem.MatchString(s) && !notText.MatchString(s):
				items[i] = s
			default:
				items[i] = quoted(s)
			}
		}
		between := ", "
		if tightList.MatchString(inner) {
			between = ","
		}
		return "[" + pad + strings.Join(items, between) + pad + "]", true
	}
	return "", false
}

var (
	plainItem = regexp.MustCompile(`^[\p{L}\p{N}_](?:[\p{L}\p{N} _./+-]*[\p{L}\p{N}_.+-])?$`)
	tightList = regexp.MustCompile(`["'\w],["'\w]`)
	plainText = regexp.MustCompile(`^[\p{L}\p{N}](?:[^\n\t]*[^\s:])?$`)
	notText   = regexp.MustCompile(`(?i)^(?:[\d._+-]+|0[xo].*|[\d.]+e[\d+-]+|true|false|yes|no|on|off|y|n|null|\d{4}-\d.*)$`)
	bareTime  = regexp.MustCompile(`^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$`)
)

// quoted is a text between double quotes, as YAML, TOML and JSON read it.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string has a form
	return strings.TrimSuffix(b.String(), "\n")
}

func (d *Doc) marshal(key string, value any, indented bool) (string, error) {
	if d.Format == TOML {
		b, err := toml.Marshal(map[string]any{key: loose(value)})
		return string(b), err
	}
	b, err := yaml.MarshalWithOptions(yaml.MapSlice{{Key: key, Value: inOrder(value)}}, yaml.IndentSequence(indented))
	return string(b), err
}

// inOrder is a value for the encoder of YAML, its members in their order.
func inOrder(v any) any {
	switch v := v.(type) {
	case Map:
		out := yaml.MapSlice{}
		for _, m := range v {
			out = append(out, yaml.MapItem{Key: m.Key, Value: inOrder(m.Value)})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = inOrder(v[i])
		}
		return out
	}
	return v
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

// jsonSpans finds the members of an object, from the key to the end of the value.
func jsonSpans(data string) []span {
	var out []span
	dec := json.NewDecoder(strings.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		before := int(dec.InputOffset())
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil
		}
		from := before + strings.IndexByte(data[before:], '"')
		out = append(out, span{key: name, from: from, to: int(dec.InputOffset())})
	}
	return out
}

// setJSON writes one member of an object, indented as the others are.
func (d *Doc) setJSON(key string, value any, from, to int, found bool) error {
	indent := ""
	if spans := jsonSpans(d.data); len(spans) > 0 {
		line := d.data[:spans[0].from]
		if i := strings.LastIndexByte(line, '\n'); i >= 0 {
			indent = line[i+1:]
		}
	}
	text, err := jsonValue(d.data[from:to], value, indent)
	if err != nil {
		return err
	}
	if found {
		begin := d.data[from:to]
		var dec = json.NewDecoder(strings.NewReader(begin))
		if _, err := dec.Token(); err != nil {
			return err
		}
		at := int(dec.InputOffset())
		colon := at + strings.IndexByte(begin[at:], ':') + 1
		space := begin[colon : len(begin)-len(strings.TrimLeft(begin[colon:], " \t\n"))]
		d.data = d.data[:from] + begin[:colon] + space + text + d.data[to:]
		return nil
	}
	spans := jsonSpans(d.data)
	member := quoted(key) + ": " + text
	if len(spans) == 0 {
		d.data = "{\n  " + member + "\n}"
		return nil
	}
	last := spans[len(spans)-1].to
	between := ", "
	if strings.Contains(d.data[:spans[0].from], "\n") {
		between = ",\n" + indent
	}
	d.data = d.data[:last] + between + member + d.data[last:]
	return nil
}

// jsonValue writes a value, over several lines where the one before was.
func jsonValue(was string, value any, indent string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if was == "" && indent != "" || strings.Contains(was, "\n") {
		enc.SetIndent(indent, "  ")
	}
	err := enc.Encode(loose(value))
	text := strings.TrimSuffix(b.String(), "\n")
	if _, list := value.([]any); list && !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `","`, `", "`)
	}
	return text, err
}

// SetBody replaces the text below the front matter.
func (d *Doc) SetBody(body string) { d.Body = strings.TrimLeft(body, "\n") }

// Bytes is the file as it is on disk.
func (d *Doc) Bytes() []byte {
	text := d.open + d.data + d.close + d.gap + d.Body
	switch {
	case d.mixed != "":
		text = lineEnds(d.mixed, text)
	case d.crlf:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(d.mark + text)
}

// lineEnds gives the lines of a text that a file has too the ends that they have
// there; new ones end as those that they replace.
func lineEnds(file, text string) string {
	plain := strings.ReplaceAll(file, "\r\n", "\n")
	var b strings.Builder
	lines := strings.SplitAfter(file, "\n")
	at, next := 0, 0 // in the plain file, in its lines
	upTo := func(end int, write bool) {
		for at < end && next < len(lines) {
			at += len(strings.Replace(lines[next], "\r\n", "\n", 1))
			if write {
				b.WriteString(lines[next])
			}
			next++
		}
	}
	for _, e := range udiff.Lines(plain, text) {
		upTo(e.Start, true)
		added := e.New
		if next < len(lines) && strings.HasSuffix(lines[next], "\r\n") {
			added = strings.ReplaceAll(added, "\n", "\r\n")
		}
		upTo(e.End, false)
		b.WriteString(added)
	}
	upTo(len(plain), true)
	return b.String()
}

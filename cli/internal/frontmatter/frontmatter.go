// Package frontmatter reads the data that is above a text, in YAML, TOML or
// JSON, and changes single members of it while every other byte stays as its
// author wrote it. It knows no member's meaning.
package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// Format is how the data is written.
type Format int

// The formats.
const (
	None Format = iota
	YAML
	TOML
	JSON
)

// Doc is a file: its front matter and what follows.
type Doc struct {
	Format  Format
	Members []Member // in the order of the file
	Body    string   // with lines that end in \n

	mark  string // what stood before everything: a byte order mark, or nothing
	open  string // the line above the data
	data  string
	close string // the line below it
	gap   string // blank lines between that and the body
	crlf  bool
	mixed string // the file, where only some of its lines end in CR LF
}

// Member is one top-level member of the data.
type Member struct {
	Key   string
	Value any // string, bool, int64, uint64, float64, time.Time, []any, Map or nil
	Line  int // of the file, from 1; 0 where it is not known
}

// Map is a nested object.
type Map []Member

// Get returns the member of that name, nil for none.
func (m Map) Get(key string) any {
	for _, member := range m {
		if strings.EqualFold(member.Key, key) {
			return member.Value
		}
	}
	return nil
}

// ErrEncoding is the outcome of a file that is not UTF-8.
var ErrEncoding = errors.New("is not UTF-8; save it as UTF-8")

// Parse reads a file.
func Parse(b []byte) (*Doc, error) {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) || !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return nil, ErrEncoding
	}
	d := &Doc{}
	text := string(b)
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		d.mark, text = "\ufeff", rest
	}
	d.crlf = strings.Contains(text, "\r\n")
	if d.crlf && strings.Count(text, "\n") != strings.Count(text, "\r\n") {
		d.mixed = text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if err := d.split(text); err != nil {
		return nil, err
	}
	d.gap = d.Body[:len(d.Body)-len(strings.TrimLeft(d.Body, "\n"))]
	d.Body = d.Body[len(d.gap):]
	return d, d.decode()
}

// fences by the line that opens the data.
var fences = map[string]struct {
	format Format
	close  []string
}{
	"---":     {YAML, []string{"---", "..."}},
	"---yaml": {YAML, []string{"---"}},
	"---toml": {TOML, []string{"---"}},
	"---json": {JSON, []string{"---"}},
	"+++":     {TOML, []string{"+++"}},
	";;;":     {JSON, []string{";;;"}},
}

// memberLine begins front matter, as opposed to text after a rule.
var memberLine = regexp.MustCompile(`^\s*["']?[\w.-]+["']?\s*[:=](\s|$)`)

func (d *Doc) split(text string) error {
	lead := text[:len(text)-len(strings.TrimLeft(text, "\n"))]
	first, rest, found := strings.Cut(text[len(lead):], "\n")
	fence, known := fences[strings.ReplaceAll(strings.TrimRight(first, " \t"), "--- ", "---")]
	switch {
	case strings.HasPrefix(first, "---js"):
		if !known {
			return errors.New("line 1: front matter in JavaScript is not read; write it as YAML between two lines of ---")
		}
	case strings.HasPrefix(first, "{") && lead == "":
		return d.splitJSON(text)
	}
	if !found || !known {
		d.Body = text
		return nil
	}
	at := 0
	for line := range strings.Lines(rest) {
		for _, end := range fence.close {
			if strings.TrimRight(line, " \t\n") == end {
				d.Format, d.open, d.data, d.close, d.Body = fence.format, lead+first+"\n", rest[:at], line, rest[at+len(line):]
				return nil
			}
		}
		at += len(line)
	}
	if second, _, _ := strings.Cut(rest, "\n"); first == "+++" || memberLine.MatchString(second) {
		return fmt.Errorf("line %d: the front matter that begins here has no closing line of %s", strings.Count(lead, "\n")+1, fence.close[0])
	}
	d.Body = text // a rule, and text below it
	return nil
}

// splitJSON takes an object at the very beginning for front matter; what else
// begins with a brace is text.
func (d *Doc) splitJSON(text string) error {
	dec := json.NewDecoder(strings.NewReader(text))
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		if memberLine.MatchString(strings.TrimLeft(text[1:], " \t\n")) && strings.HasPrefix(text, "{\n") {
			at := int(dec.InputOffset())
			if e, ok := errors.AsType[*json.SyntaxError](err); ok {
				at = int(e.Offset)
			}
			return fmt.Errorf("line %d: the front matter is not JSON: %w", lineOf(text, at), err)
		}
		d.Body = text
		return nil
	}
	end := int(dec.InputOffset())
	d.Format, d.data, d.Body = JSON, text[:end], text[end:]
	if rest, ok := strings.CutPrefix(d.Body, "\n"); ok {
		d.close, d.Body = "\n", rest
	}
	return nil
}

func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}

func (d *Doc) decode() (err error) {
	switch d.Format {
	case YAML:
		d.Members, err = fromYAML(d.data)
	case TOML:
		d.Members, err = fromTOML(d.data)
	case JSON:
		d.Members, err = fromJSON(d.data)
	default:
		return nil
	}
	if err != nil {
		return d.failure(err)
	}
	for i := range d.Members {
		if from, _, found := d.span(d.Members[i].Key); found {
			d.Members[i].Line = strings.Count(d.open, "\n") + lineOf(d.data, from)
		}
	}
	return nil
}

// failure says in which line of the file the data is wrong.
func (d *Doc) failure(err error) error {
	above := strings.Count(d.open, "\n")
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil && e.GetToken().Position != nil {
		return fmt.Errorf("line %d: the front matter is not YAML: %s", e.GetToken().Position.Line+above, e.GetMessage())
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := e.Position()
		return fmt.Errorf("line %d: the front matter is not TOML: %s", row+above, strings.TrimPrefix(e.Error(), "toml: "))
	}
	return fmt.Errorf("line %d: the front matter cannot be read: %w", above+1, err)
}

func fromYAML(data string) ([]Member, error) {
	var all yaml.MapSlice
	err := yaml.NewDecoder(strings.NewReader(data), yaml.UseOrderedMap(), yaml.AllowDuplicateMapKey()).Decode(&all)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return ordered(all), err
}

func ordered(all yaml.MapSlice) Map {
	var out Map
	for _, item := range all {
		out = append(out, Member{Key: fmt.Sprint(item.Key), Value: plain(item.Value)})
	}
	return out
}

// plain brings a value of any decoder into the forms that Member names.
func plain(v any) any {
	switch v := v.(type) {
	case yaml.MapSlice:
		return ordered(v)
	case map[string]any:
		return sorted(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case toml.LocalDate:
		return v.String()
	case toml.LocalDateTime:
		return strings.Replace(v.String(), "T", " ", 1)
	case toml.LocalTime:
		return v.String()
	}
	return v
}

package output_test

import (
	"bytes"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
)

type animal struct {
	Name string   `json:"name"`
	Legs int      `json:"legs"`
	Tags []string `json:"tags"`
	Note string   `json:"note,omitempty"`
}

var animalView = output.View[animal]{
	ID: func(a *animal) string { return a.Name },
	Columns: []output.Column[animal]{
		{Name: "name", Value: func(a *animal) string { return a.Name }, Flex: true},
		{Name: "legs", Value: func(a *animal) string { return strings.Repeat("|", a.Legs) }},
		{Name: "note", Value: func(a *animal) string { return a.Note }, Flex: true},
		{Name: "tags", Value: func(a *animal) string { return strings.Join(a.Tags, ",") }, Wide: true},
	},
}

var zoo = []animal{
	{"cat <b>", 4, []string{"pet"}, ""},
	{"a very long name of a 鳥", 2, nil, "sings\x1b[31m\u202e every morning in the garden"},
}

func animals() iter.Seq2[*animal, error] {
	return func(yield func(*animal, error) bool) {
		for i := range zoo {
			if !yield(&zoo[i], nil) {
				return
			}
		}
	}
}

func print(t *testing.T, p output.Printer, width int) string {
	t.Helper()
	var out bytes.Buffer
	p.IO = &terminal.IO{Out: &out, Err: &out, Width: width}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if err := output.List(p, animalView, animals()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFormats(t *testing.T) {
	for _, test := range []struct {
		name string
		p    output.Printer
		want string
	}{
		{"fields in their order", output.Printer{Format: "jsonl", Fields: []string{"legs", "name", "note"}},
			"{\"legs\":4,\"name\":\"cat <b>\",\"note\":null}\n{\"legs\":2,\"name\":\"a very long name of a 鳥\",\"note\":\"sings\\u001b[31m\\u202e every morning in the garden\"}\n"},
		{"jq", output.Printer{JQ: ".[] | .name, .legs"}, "cat <b>\n4\na very long name of a 鳥\n2\n"},
		{"template", output.Printer{Template: `{{range .}}{{.legs}}{{json .tags}} {{end}}`}, `4["pet"] 2null `},
		{"ids", output.Printer{Format: "ids"}, "cat <b>\na very long name of a 鳥\n"},
		{"yaml", output.Printer{Format: "yaml", Fields: []string{"legs"}}, "- legs: 4\n- legs: 2\n"},
		{"csv", output.Printer{Format: "csv"}, "name,legs,note,tags\ncat <b>,||||,,pet\na very long name of a 鳥,||,sings every morning in the garden,\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := print(t, test.p, 0); got != test.want {
				t.Errorf("printed %q, want %q", got, test.want)
			}
		})
	}
}

func TestTablesFit(t *testing.T) {
	for _, width := range []int{1, 5, 10, 20, 40, 60, 200} {
		for text := range strings.Lines(print(t, output.Printer{}, width)) {
			if got := terminal.Width(strings.TrimSuffix(text, "\n")); got > width {
				t.Errorf("at %d columns a line has %d: %q", width, got, text)
			}
		}
	}
}

func TestArrange(t *testing.T) {
	names := func(a output.Arrange) (names []string, err error) {
		for record, e := range output.Apply(a, animals()) {
			if e != nil {
				return nil, e
			}
			names = append(names, record.Name[:1])
		}
		return names, nil
	}
	for _, test := range []struct {
		arrange output.Arrange
		want    string
		fails   bool
	}{
		{output.Arrange{Sort: "legs"}, "ac", false},
		{output.Arrange{Sort: "-legs"}, "ca", false},
		{output.Arrange{Sort: "name"}, "ac", false},
		{output.Arrange{Filter: []string{"legs=4"}}, "c", false},
		{output.Arrange{Filter: []string{"name~LONG", "legs=2"}}, "a", false},
		{output.Arrange{Limit: 1}, "c", false},
		{output.Arrange{Sort: "nope"}, "", true},
		{output.Arrange{Filter: []string{"nope=1"}}, "", true},
		{output.Arrange{Filter: []string{"nope"}}, "", true},
	} {
		got, err := names(test.arrange)
		if strings.Join(got, "") != test.want || (err != nil) != test.fails || err != nil && !errors.Is(err, output.ErrUsage) {
			t.Errorf("%+v gave %v and %v, want %q", test.arrange, got, err, test.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, p := range []output.Printer{{Format: "xml"}, {JQ: ".["}, {JQ: "nofunction"}, {Template: "{{"}, {JQ: ".", Template: "x"}} {
		if err := p.Check(); !errors.Is(err, output.ErrUsage) {
			t.Errorf("%+v: %v, want a usage error", p, err)
		}
	}
	var out bytes.Buffer
	p := output.Printer{IO: &terminal.IO{Out: &out, Err: &out}, Format: "json", Fields: []string{"nope"}}
	if err := output.One(p, animalView, &zoo[0]); !errors.Is(err, output.ErrUsage) || !strings.Contains(err.Error(), "legs, name, note, tags") {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{5 * time.Second: "5s", 90 * time.Minute: "1h", 49 * time.Hour: "2d", -time.Hour: "in 1h"} {
		if got := output.Ago(now, now.Add(-d)); got != want {
			t.Errorf("%s ago is %q, want %q", d, got, want)
		}
	}
}

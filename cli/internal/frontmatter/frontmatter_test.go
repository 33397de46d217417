package frontmatter_test

import (
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/frontmatter"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in, want, body string }{
		{"none", "# Hi\n", "", "# Hi\n"},
		{"YAML", "---\ntitle: A b\ndraft: true\ndate: 2019-03-04\ntags: [x, y]\nn: 3\nempty:\nextra:\n  z: 1\n  a: two\n---\n\nBody\n",
			`title="A b" draft=true date="2019-03-04" tags=[x y] n=3 empty=<nil> extra={z=1 a="two"}`, "Body\n"},
		{"YAML to the dots", "---\ntitle: A\n...\nBody", `title="A"`, "Body"},
		{"YAML with a key twice", "---\ntitle: A\ntitle: B\n---\nx", `title="A" title="B"`, "x"},
		{"YAML of nothing", "---\n---\nx", "", "x"},
		{"YAML below blank lines", "\n\n---\ntitle: A\n---\nx", `title="A"`, "x"},
		{"YAML by name", "--- yaml\ntitle: A\n---\nx", `title="A"`, "x"},
		{"TOML", "+++\ntitle = 'A'\ndate = 2019-03-04T10:00:00+02:00\nday = 2019-03-04\nat = 2019-03-04T05:06:07\ntags = [\n  'a', # one\n  'b',\n]\n[extra]\nmood = 'calm'\n+++\nBody\n",
			`title="A" date=2019-03-04 10:00:00 +0200 +0200 day="2019-03-04" at="2019-03-04 05:06:07" tags=[a b] extra={mood="calm"}`, "Body\n"},
		{"TOML by name", "---toml\na = 1\n---\nx", "a=1", "x"},
		{"JSON", "{\n  \"title\": \"A\",\n  \"b\": {\"z\": 1}\n}\n\nBody", `title="A" b={z=1}`, "Body"},
		{"a rule", "---\n\nText\n", "", "---\n\nText\n"},
		{"a brace", "{% raw %}x{% endraw %}\n", "", "{% raw %}x{% endraw %}\n"},
		{"mark and CR LF", "\ufeff---\r\ntitle: A\r\n---\r\n\r\nx\r\ny\r\n", `title="A"`, "x\ny\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := frontmatter.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(d.Members); got != tt.want || d.Body != tt.body {
				t.Errorf("%s\nbody %q", got, d.Body)
			}
			if got := string(d.Bytes()); got != tt.in {
				t.Errorf("written unchanged it is %q", got)
			}
		})
	}
}

func show(members []frontmatter.Member) string {
	var out []string
	for _, m := range members {
		value := fmt.Sprint(m.Value)
		switch v := m.Value.(type) {
		case string:
			value = fmt.Sprintf("%q", v)
		case frontmatter.Map:
			value = "{" + show(v) + "}"
		}
		out = append(out, m.Key+"="+value)
	}
	return strings.Join(out, " ")
}

func TestRefusals(t *testing.T) {
	for in, want := range map[string]string{
		"---\ntitle: A\n\nText":           "line 1: the front matter that begins here has no closing line of ---",
		"+++\ntitle = 'A'\n\nText":        "line 1: the front matter that begins here has no closing line of +++",
		"---\ntitle: A\ntags: [a\n---\nx": "line 3: the front matter is not YAML: ",
		"+++\na = 1\ntitle = A\n+++\nx":   "line 3: the front matter is not TOML: ",
		"{\n \"a\": 1,\n}\nx":             "line 3: the front matter is not JSON: ",
		"---js\n{a: 1}\n---\nx":           "line 1: front matter in JavaScript is not read",
		"\xff\xfeT\x00":                   "is not UTF-8",
		"caf\xe9":                         "is not UTF-8",
	} {
		if _, err := frontmatter.Parse([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func TestLines(t *testing.T) {
	d, err := frontmatter.Parse([]byte("---\na: 1\nlist:\n  - x\n# c\nz: 2\n---\n"))
	if err != nil || d.Members[1].Line != 3 || d.Members[2].Line != 6 {
		t.Errorf("%+v %v", d.Members, err)
	}
}

func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"YAML",
			"---\n# head\nlayout: post   # why\ntitle: Old # the title\n\ntags:\n  - a\n  - b\n# between\nauthor: {name: Ann}\n---\n\n\nBody\n",
			"---\n# head\nlayout: post   # why\ntitle: New # the title\n\ntags:\n  - x\n# between\nauthor: {name: Ann}\nslug: s\n---\n\n\nBody\n"},
		{"TOML",
			"+++\n# head\ntitle = \"Old\" # c\ntags = [\n  'a',\n]\nweight = 3\n\n[extra]\nmood = 'calm'\n+++\nBody",
			"+++\n# head\ntitle = \"New\" # c\ntags = ['x']\nweight = 3\nslug = 's'\n\n[extra]\nmood = 'calm'\n+++\nBody"},
		{"JSON",
			"{\n  \"z\": 1,\n  \"title\": \"Old\",\n  \"tags\": []\n}\n\nBody",
			"{\n  \"z\": 1,\n  \"title\": \"New\",\n  \"tags\": [\"x\"],\n  \"slug\": \"s\"\n}\n\nBody"},
		{"none", "Body\n", "---\ntitle: New\ntags:\n  - x\nslug: s\n---\n\nBody\n"},
		{"lines of both kinds", "---\r\ntitle: Old\r\ntags: [ 'a b' ]\r\nslug: \"x\"\n---\nBody\r\nend", "---\r\ntitle: New\r\ntags: [ 'x' ]\r\nslug: \"s\"\r\n---\nBody\r\nend"},
		{"its quotes and blanks", "---\ntitle:   'Old'  # c\ntags: [\"a\", \"b\"]\nlayout:x: 1\n---\nBody", "---\ntitle:   'New'  # c\ntags: [\"x\"]\nlayout:x: 1\nslug: s\n---\nBody"},
		{"a list at the margin", "---\ntitle: >\n  Old\n  title\n\ntags:\n- a\n- b\n---\nBody", "---\ntitle: New\n\ntags:\n- x\nslug: s\n---\nBody"},
		{"JSON in a line", "{\"title\":\"Old\",\"z\":[1,2]}\nBody", "{\"title\":\"New\",\"z\":[1,2], \"tags\": [\"x\"], \"slug\": \"s\"}\nBody"},
		{"CR LF", "---\r\ntitle: Old\r\nkept:  yes\r\n---\r\nBody\r\n", "---\r\ntitle: New\r\nkept:  yes\r\ntags:\r\n  - x\r\nslug: s\r\n---\r\nBody\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := frontmatter.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []frontmatter.Member{{Key: "title", Value: "New"}, {Key: "tags", Value: []any{"x"}}, {Key: "slug", Value: "s"}} {
				if err := d.Set(m.Key, m.Value); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(d.Bytes()); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			again, err := frontmatter.Parse(d.Bytes())
			if err != nil || show(again.Members) != show(d.Members) && tt.name != "TOML" {
				t.Errorf("read again it is %s (%v), not %s", show(again.Members), err, show(d.Members))
			}
			if err := d.Remove("slug"); err != nil || strings.Contains(string(d.Bytes()), "slug") {
				t.Errorf("removed: %s %v", d.Bytes(), err)
			}
		})
	}
}

func TestEditInside(t *testing.T) {
	for in, want := range map[string]string{
		"---\na: 1\nauthor:\n    name: Ann # x\n    url: u\nz: 2\n---\n":            "---\na: 1\nauthor:\n    name: Bea # x\n    url: u\nz: 2\n---\n",
		"+++\na = 1\n[author]\n  name = 'Ann'\n  # c\n[other]\nname = 'Ann'\n+++\n": "+++\na = 1\n[author]\n  name = 'Bea'\n  # c\n[other]\nname = 'Ann'\n+++\n",
	} {
		d, err := frontmatter.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SetIn("author", "name", "Bea"); err != nil || string(d.Bytes()) != want {
			t.Errorf("%s\n%v", d.Bytes(), err)
		}
	}
	d, err := frontmatter.Parse([]byte("---\nauthor: {name: Ann}\n---\n"))
	if err != nil || d.SetIn("author", "name", "Bea") == nil {
		t.Error("an object in one line is a block")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"---\na: 1\n---\nx", "+++\na=[1,\n2]\n[b]\nc='''x\n'''\n+++\n", "{\"a\":1}\nx", "\ufeff---\r\na: |\r\n  b\r\n---\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		d, err := frontmatter.Parse([]byte(in))
		if err != nil {
			return
		}
		if got := string(d.Bytes()); got != in {
			t.Errorf("%q is written as %q", in, got)
		}
		_ = d.Set("title", "x")
		if _, err := frontmatter.Parse(d.Bytes()); err != nil && d.Format != frontmatter.YAML {
			t.Errorf("%q with a title is %q: %v", in, d.Bytes(), err)
		}
	})
}

package markup_test

import (
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/markup"
)

// finished is a text as it is sent, links and images where they are.
func finished(t testing.TB, text markup.Text) (string, []markup.Note) {
	t.Helper()
	page, err := markup.Render(text)
	if err != nil {
		t.Fatal(err)
	}
	out, notes, err := markup.Finish(page.HTML, markup.Resolver{
		Link:  func(dest string) markup.Place { return markup.Place{Address: dest} },
		Image: func(src string) (markup.Place, error) { return markup.Place{Address: src}, nil },
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	return out, append(notes, page.Notes...)
}

func TestRender(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		mdx      bool
		has      []string // of the HTML
		not      []string
		notes    []string
	}{
		{name: "alert of GitHub", in: "> [!NOTE]\n> Mind *this*.\n", has: []string{`markdown-alert-note">`, "<p>Note</p>", "<em>this</em>"}, not: []string{"[!", "blockquote"}},
		{name: "callout that folds", in: "> [!warning]- Look\n> Inside\n", has: []string{"<details>", "<summary>Look</summary>", "Inside"}},
		{name: "container with a title", in: ":::tip[Do it]\nText\n:::\n", has: []string{"markdown-alert-tip", "<p>Do it</p>"}, not: []string{":::"}},
		{name: "containers in each other", in: "::: warning\na\n::: tip\nb\n:::\nc\n:::\n", has: []string{"markdown-alert-warning", "markdown-alert-tip", "<p>c</p>"}, not: []string{":::"}},
		{name: "admonition of MkDocs", in: "!!! danger \"Hot\"\n    Do not touch.\n\nAfter\n", has: []string{"markdown-alert-caution", "<p>Hot</p>", "<p>Do not touch.</p>"}, not: []string{"!!!"}},
		{name: "containers inside code", in: "```\n:::tip\n:::\n```\n", has: []string{":::tip\n:::"}},
		{name: "code group", in: "::: code-group\n```js [a.js]\nx\n```\n:::\n", has: []string{"<strong>a.js</strong>", `class="language-js"`}},
		{name: "heading with an id", in: "## Use `it` {#own}\n", has: []string{`<h2 id="own">Use <code>it</code></h2>`}},
		{name: "list of attributes", in: "text\n{: .lead}\n\n![a](b.png){:width=\"3\"}\n", has: []string{"text", `src="b.png"`}, not: []string{"{:"}},
		{name: "footnote", in: "a[^1]\n\n[^1]: Below\n", has: []string{`href="#fn:1"`, `id="fn:1"`, "Below"}, not: []string{"[^"}},
		{name: "definition, mark, task", in: "Word\n: Meaning\n\n==hot==\n\n- [x] done\n", has: []string{"<dt>Word</dt>", "<mark>hot</mark>", "☑ done"}},
		{name: "Liquid", in: "{% raw %}{{ kept }}{% endraw %} {{ site.baseurl }}/x {% assign a = \"set\" %}{{ a }} {{ other.thing }}", has: []string{"{{ kept }}", "/x", "set"}, not: []string{"other", "{%"}, notes: []string{"{{ other.thing }}"}},
		{name: "highlight", in: "{% highlight go %}\nx := 1\n{% endhighlight %}\n", has: []string{`<code class="language-go">x := 1`}},
		{name: "condition", in: "{% if x %}yes{% else %}no{% endif %}", has: []string{"yes"}, not: []string{"no"}, notes: []string{"{% if %}"}},
		{name: "note of Hexo", in: "{% note warn Mind %}\nText\n{% endnote %}\n", has: []string{"markdown-alert-warning", "<p>Mind</p>", "<p>Text</p>"}},
		{name: "shortcodes of Hugo", in: `{{< figure src="a.png" alt="A" caption="Cap" >}} {{< youtube abc >}} {{< odd >}}`, has: []string{`<img src="a.png" alt="A">`, "Cap", "watch?v=abc"}, not: []string{"{{"}, notes: []string{"{{< odd >}}"}},
		{name: "shortcode that shows itself", in: "`{{</* figure */>}}`", has: []string{"{{&lt; figure &gt;}}"}},
		{name: "code with a mark", in: "```\n{{ x }} {% y %}\n```\n\n    {{ deep }}\n", has: []string{"{{ x }} {% y %}", "{{ deep }}"}},
		{name: "functions of Zola", in: `{{ youtube(id="abc") }}` + "\n\n{% quote(author=\"Ann\") %}\nSaid\n{% end %}\n", has: []string{"watch?v=abc", "<blockquote>", "Said", "— Ann"}},
		{name: "MDX", mdx: true, in: "import A from './a'\n\nexport const who = 'Ann'\n\n<Tabs>\n  <TabItem label=\"One\">\n    Text **b**\n  </TabItem>\n</Tabs>\n\n{/* no */}Hi {who}, {a.map(x => x)}",
			has: []string{"<strong>One</strong>", "<strong>b</strong>", "Hi Ann"}, not: []string{"import", "export", "TabItem", "map", "<pre>"}, notes: []string{"{a.map(x => x)}"}},
		{name: "picture of a component", mdx: true, in: "import pic from './p.png'\n\n<Image src={pic} alt=\"P\" />\n", has: []string{`<img src="./p.png" alt="P">`}},
		{name: "card", mdx: true, in: `<LinkCard title="Go" href="/go" description="There" />`, has: []string{`<a href="/go">Go</a>`, "There"}},
		{name: "word in angle brackets", in: "Set <VERSION> here", has: []string{"&lt;VERSION&gt;"}},
		{name: "attributes of Vue", in: `<div v-if="x" @click="y" id="k">Text</div>`, has: []string{`<div id="k">`, "Text"}, not: []string{"v-if", "@click"}},
		{name: "toc and remarks", in: "[[toc]]\n\nA %%secret%% b\n", has: []string{"A b"}, not: []string{"toc", "secret"}},
		{name: "elements", in: "<center>a</center>\n\n<noscript>b</noscript>\n\n<script>c</script>\n\n<iframe src=\"https://x.example/v\" title=\"V\"></iframe>\n", has: []string{"a", "b", `<a href="https://x.example/v">V</a>`}, not: []string{"<center", ">c<", "<iframe"}, notes: []string{"<script>"}},
		{name: "more", in: "Intro\n\n<!--more-->\n\nRest\n", has: []string{"Intro", "Rest"}, not: []string{"more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := finished(t, markup.Text{Body: tt.in, MDX: tt.mdx})
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in\n%s", want, got)
				}
			}
			for _, bad := range tt.not {
				if strings.Contains(got, bad) {
					t.Errorf("%q is in\n%s", bad, got)
				}
			}
			for _, want := range tt.notes {
				if !slices.ContainsFunc(notes, func(n markup.Note) bool { return n.What == want }) {
					t.Errorf("%q is not noted: %v", want, notes)
				}
			}
		})
	}
}

func TestWikiLinks(t *testing.T) {
	page, err := markup.Render(markup.Text{Body: "[[Page#Part|label]] ![[a b.png|200]] [[Bug #1]]\n\n[Bug #1]: https://x.example\n"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	got, _, err := markup.Finish(page.HTML, markup.Resolver{
		Link: func(dest string) markup.Place {
			name, part, _, wiki, ok := markup.Name(dest)
			if !ok {
				return markup.Place{Address: dest}
			}
			names = append(names, name+"/"+part)
			return markup.Place{Address: "page#part", Drop: !wiki}
		},
		Image: func(src string) (markup.Place, error) {
			name, _, _, _, _ := markup.Name(src)
			return markup.Place{Address: "/" + name}, nil
		},
	}, false)
	if err != nil || !slices.Equal(names, []string{"Page/Part"}) || !strings.Contains(got, `<a href="page#part">label</a>`) || !strings.Contains(got, `src="/a b.png"`) || !strings.Contains(got, "https://x.example") {
		t.Errorf("%v %v in %s", names, err, got)
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"{% a %}{{ b }}{% enda %}", "<A b={c}>\n d\n</A>", "> [!x]\n> :::y\n> z", "::: a\n::: b\n:::", "!!! note\n    x", "[[a|b]] ==c== {#d}"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, body string, mdx bool) {
		if len(body) > 4000 {
			return
		}
		if got, _ := finished(t, markup.Text{Body: body, MDX: mdx}); strings.Contains(strings.ToLower(got), "<script") {
			t.Errorf("a script came through: %q", got)
		}
	})
}

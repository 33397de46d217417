package llm_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/llm"
)

var update = flag.Bool("update", false, "write golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from the golden file (-update writes it):\n%s", name, got)
	}
}

func offlineText(t *testing.T, task llm.OfflineTask) string {
	t.Helper()
	got, err := llm.Open(llm.Config{HTTP: noNetwork(t)}).Complete(t.Context(), llm.Request{
		Model: "gpt-6-luna", Messages: []llm.Message{{Role: llm.RoleUser, Text: "ignored offline"}}, Offline: &task})
	if err != nil {
		t.Fatal(err)
	}
	if got.Provider != llm.ProviderOffline || got.Usage != (llm.Usage{}) {
		t.Errorf("labelled %q with usage %+v", got.Provider, got.Usage)
	}
	return got.Text
}

func groupCommit() llm.OfflineTask {
	return llm.OfflineTask{
		Title:    "Why group commit makes a small store fast",
		Prompt:   "- Explain what fsync costs.\n- Compare with one commit per request. Mention p99 < 15 ms.",
		Audience: "engineers who run their own servers",
		Tone:     "plain",
		Brand:    llm.Brand{Name: "Northwind & Co", Facts: []string{"Northwind builds tools for self-hosting.", " ", "Founded in 2019 in Bergen."}},
		Related: []llm.Source{
			{Title: "How we measure", URL: "/blog/how-we-measure", Text: "<h2>Method</h2><p>We run wrk for a minute. Every figure is the median of five runs.</p>"},
			{Title: "A store in one file", URL: "https://northwind.example/store?a=1&b=2", Text: "<p>Our posts live in one file. A commit that waits for the disk is the slow part of a store.</p>"},
			{Title: "Odd link", URL: "javascript:alert(1)", Text: "Plain <b>text</b> about group work."},
		},
	}
}

const article = `<h2>The cost of a commit</h2>
<p>Nobody likes to wait. A group commit lets one disk write carry the changes of many requests, so a small store answers fast.</p>
<ul><li>Each request alone waits for fsync.</li><li>Sixty requests together wait for one fsync.</li></ul>
<pre><code>db.Update(secretIdentifier)</code></pre><script>var tracking = 1</script>
<p>We measured fsync latency on ext4: the fsync of one page and the fsync of sixty pages take the same time.</p>
<p>[to complete] Add the numbers of the second machine.</p>`

func TestOutlineIsGolden(t *testing.T) {
	task := groupCommit()
	task.Kind = llm.TaskContent
	golden(t, "outline.html", offlineText(t, task))
	task = llm.OfflineTask{Kind: llm.TaskContent, Title: `How to <script>alert("x")</script>`, Length: "long"}
	golden(t, "outline-bare.html", offlineText(t, task))
}

// Every sentence of an outline is either the author's, the team's, a quote, or
// marked as still to be written.
func TestOutlineInventsNothing(t *testing.T) {
	task := groupCommit()
	task.Kind = llm.TaskContent
	given := task.Prompt + strings.Join(task.Brand.Facts, " ") + task.Related[0].Text + task.Related[1].Text + task.Related[2].Text
	for _, title := range []string{"Why Go", "How to bake", "bbolt vs. SQLite", "Introducing agents", "Notes", ""} {
		task.Title = title
		for line := range strings.Lines(offlineText(t, task)) {
			line = strings.TrimSpace(line)
			item, isItem := strings.CutPrefix(line, "<li>")
			if !isItem {
				item, isItem = strings.CutPrefix(line, "<p>")
			}
			if !isItem || strings.Contains(item, "[to complete]") || strings.HasPrefix(item, "— ") {
				continue
			}
			said := strings.NewReplacer("</li>", "", "</p>", "", "&lt;", "<", "&amp;", "&").Replace(item)
			if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(given, "<b>", ""), "</b>", ""), said) {
				t.Errorf("title %q: %q is not from the task", title, said)
			}
		}
	}
}

func TestLengthChangesTheOutline(t *testing.T) {
	sections := map[string]int{}
	for _, length := range []string{"short", "medium", "", "long"} {
		text := offlineText(t, llm.OfflineTask{Kind: llm.TaskContent, Title: "How to bake", Length: length})
		sections[length] = strings.Count(text, "<h2>")
	}
	if !(sections["short"] < sections["medium"] && sections["medium"] < sections["long"] && sections[""] == sections["medium"]) {
		t.Errorf("sections by length: %v", sections)
	}
}

// A title that counts gets as many headings; other numbers count nothing.
func TestOutlineCountsAsItsTitle(t *testing.T) {
	for title, want := range map[string]int{
		"10 tips for hammers": 10, "Top 5 hammers": 5, "Die 7 Gründe für Stahl": 7, "Les 3 raisons d'attendre": 3,
		"Windows 11 for beginners": 0, "2026 in review": 0, "10 % more steel": 0, "1 reason": 0, "99 luftballons": 0, "Why Go": 0,
	} {
		for _, length := range []string{"short", "long"} {
			text := offlineText(t, llm.OfflineTask{Kind: llm.TaskContent, Title: title, Length: length})
			n := 0
			for strings.Contains(text, fmt.Sprintf("<h2>%d. [to complete]</h2>", n+1)) {
				n++
			}
			if n != want || strings.Count(text, ". [to complete]</h2>") != want {
				t.Errorf("%q has %d counted headings, want %d", title, n, want)
			}
		}
	}
}

// TestOutlineSpeaksTheTitlesLanguage: of everything that the outline says itself.
func TestOutlineSpeaksTheTitlesLanguage(t *testing.T) {
	for title, want := range map[string]string{
		"Warum wir auf Stahl setzen und was das für die Kunden heißt": "Kurz gesagt", "Comment nous choisissons nos fournisseurs": "En bref", "Por qué los martillos son mejores con un mango de madera": "En resumen",
		"Perché il nostro martello è il migliore": "In breve", "Waarom wij voor staal kiezen en wat dat voor de klant betekent": "Kort gezegd", "Por que os nossos martelos são melhores com cabo de madeira": "Em resumo",
		"Why we chose steel": "The short answer", "Group commit": "In short", "Kubernetes": "In short",
	} {
		text := offlineText(t, llm.OfflineTask{Kind: llm.TaskContent, Title: title, Prompt: "XYZ.", Audience: "XYZ", Tone: "XYZ", Brand: llm.Brand{Name: "XYZ", Facts: []string{"XYZ."}}, Length: "long"})
		if !strings.Contains(text, "<h2>"+want+"</h2>") {
			t.Errorf("%q has no heading %q:\n%s", title, want, text)
		}
		english := strings.Contains(text, "Say what") || strings.Contains(text, "Points to cover") || strings.Contains(text, "About XYZ") || strings.Contains(text, "Next step")
		if english != slices.Contains([]string{"The short answer", "In short"}, want) {
			t.Errorf("%q speaks English %t:\n%s", title, english, text)
		}
		if strings.Contains(text, "%!") {
			t.Errorf("%q: %s", title, text)
		}
	}
}

func TestDescription(t *testing.T) {
	for _, c := range []struct {
		name string
		task llm.OfflineTask
		want string
	}{
		{"from content", llm.OfflineTask{Title: groupCommit().Title, Content: article},
			"A group commit lets one disk write carry the changes of many requests, so a small store answers fast. Each request alone waits for fsync."},
		{"marks are not content", llm.OfflineTask{Title: "Why Go", Content: "<p>[to complete] Say why.</p>", Prompt: "Write about builds that take a second."},
			"Why Go. Write about builds that take a second."},
		{"title with its own mark", llm.OfflineTask{Title: "Why Go?"}, "Why Go?"},
		{"nothing given", llm.OfflineTask{}, ""},
		{"nothing about the title", llm.OfflineTask{Title: "Vacuum cleaners", Content: "<p>[to complete] Say why.</p><ul><li>Acme Tools was founded in 1999.</li></ul>"}, ""},
		{"something about the title", llm.OfflineTask{Title: "Vacuum cleaners", Content: "<p>Acme was founded in 1999.</p><p>A vacuum cleaner needs a bag that fits it well.</p>"}, "A vacuum cleaner needs a bag that fits it well."},
		{"other scripts", llm.OfflineTask{Title: "静けさ", Content: "<p>静けさは仕事を深くする。毎日一時間を守ろう。</p>"}, "静けさは仕事を深くする。 毎日一時間を守ろう。"},
	} {
		c.task.Kind = llm.TaskDescription
		if got := offlineText(t, c.task); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTagsAreTheWordsOfThisPost(t *testing.T) {
	task := groupCommit()
	task.Kind, task.Content = llm.TaskTags, article
	first := offlineText(t, task)
	golden(t, "tags.txt", first+"\n")

	got := strings.Split(first, ", ")
	if len(got) < 3 || len(got) > 6 || strings.ToLower(first) != first {
		t.Errorf("tags = %q", got)
	}
	for _, never := range []string{"secretidentifier", "tracking", "wait, wait", "machine", "cost"} {
		if strings.Contains(first, never) {
			t.Errorf("tags %q hold %q, which the reader does not see", got, never)
		}
	}
	// What every document of the team speaks of stops being a tag of one.
	if got[0] != "fsync" {
		t.Fatalf("tags %q are not led by the word of this post", got)
	}
	for range 30 {
		task.Related = append(task.Related, llm.Source{Text: "About fsync."})
	}
	if again := offlineText(t, task); strings.HasPrefix(again, "fsync") {
		t.Errorf("still led by fsync beside thirty documents about it: %q", again)
	}
}

func TestTagsOfATitleWithoutKeywords(t *testing.T) {
	if got := offlineText(t, llm.OfflineTask{Kind: llm.TaskTags, Title: "Why Go"}); got != "go" {
		t.Errorf("tags of Why Go: %q", got)
	}
}

func TestRequestWithoutATaskGetsAnHonestAnswer(t *testing.T) {
	got, err := llm.Open(llm.Config{}).Complete(t.Context(), llm.Request{Model: "gpt-6.1-terra", Tools: []llm.Tool{weather()}})
	if err != nil || !strings.Contains(got.Text, "No language model is configured") || got.Provider != "offline" || got.ToolCalls != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzOffline(f *testing.F) {
	f.Add("Why Go", article, "one. two! 三。", "https://x.example")
	f.Add("", "<p", "\xff\xfe", "::")
	f.Add("<pre>", "<script>never closed", "</script>", "javascript:x")
	f.Fuzz(func(t *testing.T, title, content, prompt, link string) {
		task := llm.OfflineTask{Title: title, Content: content, Prompt: prompt, Related: []llm.Source{{Title: title, Text: content, URL: link}}}
		for _, kind := range []llm.TaskKind{llm.TaskContent, llm.TaskDescription, llm.TaskTags} {
			task.Kind = kind
			var streamed strings.Builder
			got, err := llm.Open(llm.Config{}).Complete(t.Context(), llm.Request{Model: "gpt-6-luna", Offline: &task,
				OnDelta: func(d string) { streamed.WriteString(d) }})
			if err != nil || streamed.String() != got.Text {
				t.Fatalf("%s: streamed %q, returned %q, %v", kind, streamed.String(), got.Text, err)
			}
			if kind == llm.TaskDescription && utf8.RuneCountInString(got.Text) > 160 {
				t.Errorf("description of %d characters", utf8.RuneCountInString(got.Text))
			}
			if kind == llm.TaskTags && strings.Count(got.Text, ", ") > 5 {
				t.Errorf("too many tags: %q", got.Text)
			}
			if lower := strings.ToLower(got.Text); kind == llm.TaskContent && (strings.Contains(lower, "<script") || strings.Contains(lower, `href="javascript`)) {
				t.Errorf("markup of the input is live: %q", got.Text)
			}
		}
	})
}

package helpdesk_test

import (
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/sdk/api"
)

func (w *world) ask(question string) {
	w.T.Helper()
	w.Tick()
	w.check(w.desk.Gap(w.T.Context(), "team_a", question))
}

func (w *world) gaps(state string) []api.Gap {
	w.T.Helper()
	return optest.Must[api.Page[api.Gap]](w, "helpdesk.gaps.list", `{"state":"`+state+`","limit":100}`).Data
}

// Wordings of one question are one gap, which is told of once.
func TestGapsCluster(t *testing.T) {
	w := newWorld(t)
	events := w.NewEvents(func() {
		for _, q := range []string{
			"Do you ship to Brazil?", "can you please ship to brazil", "Shipping to Brasil??", "ship   to\nBrazil",
			"Do you have gift cards?", "are gift cards possible?",
			"hello", "?",
		} {
			w.ask(q)
		}
	})
	if events != "article.gap_detected article.gap_detected" {
		t.Error(events)
	}
	open := w.gaps("open")
	if len(open) != 2 {
		t.Fatalf("%+v", open)
	}
	cards, brazil := open[0], open[1]
	if brazil.Count != 4 || len(brazil.Questions) != 4 || brazil.Question != "ship to Brazil" || brazil.Version != 4 || cards.Count != 2 {
		t.Errorf("%+v", open)
	}
	for i := range 30 {
		w.ask(fmt.Sprint("ship to Brazil ", strings.Repeat("!", i)))
	}
	if g := w.gaps("open")[1]; g.Count != 34 || len(g.Questions) != 10 {
		t.Errorf("%d, %d wordings", g.Count, len(g.Questions))
	}
}

func TestGapIsDismissedOrDrafted(t *testing.T) {
	w := newWorld(t)
	w.ask("Do you ship to Brazil?")
	w.ask(`Gift <img src=x onerror=alert(1)> & cards?`)
	cards, brazil := w.gaps("open")[0], w.gaps("open")[1]

	optest.Must[api.Gap](w, "helpdesk.gaps.dismiss", `{"id":"`+brazil.ID+`"}`)
	w.ask("ship to Brazil?")
	if got := w.gaps("dismissed"); len(got) != 1 || got[0].Count != 2 || len(w.gaps("open")) != 1 {
		t.Errorf("a dismissed gap does not stay so: %+v", got)
	}

	a := optest.Must[api.Article](w, "helpdesk.gaps.draft", `{"id":"`+cards.ID+`"}`)
	if a.Status != "DRAFT" || a.Title != cards.Question || len(xsstest.Active(t, a.Content)) > 0 || !strings.Contains(a.Content, "&lt;img") {
		t.Errorf("%+v", a)
	}
	if got := w.gaps("drafted"); len(got) != 1 || got[0].ArticleID != a.ID {
		t.Errorf("%+v", got)
	}
	w.Refused(api.CodeInvalidTransition, "helpdesk.gaps.draft", `{"id":"`+cards.ID+`"}`)
}

// A team has 500 open gaps at most: the one that was asked for least lately goes.
func TestGapsAreBounded(t *testing.T) {
	w := newWorld(t)
	word := func(i int) string { return fmt.Sprintf("q%dword", i) }
	for i := range 500 {
		w.ask(word(i))
	}
	w.ask(word(0)) // asked again
	w.ask(word(500))
	w.ask(strings.Repeat("endless ", 10_000))
	n, first, second := 0, false, false
	for cursor := ""; ; {
		page := optest.Must[api.Page[api.Gap]](w, "helpdesk.gaps.list", `{"limit":100,"cursor":"`+cursor+`"}`)
		n += len(page.Data)
		for _, g := range page.Data {
			first, second = first || g.Question == word(0), second || g.Question == word(1)
			if len(g.Question) > 300 {
				t.Errorf("a question of %d bytes", len(g.Question))
			}
		}
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	if n != 500 || !first || second {
		t.Errorf("%d gaps; the one asked again is there: %v; the oldest is there: %v", n, first, second)
	}
}

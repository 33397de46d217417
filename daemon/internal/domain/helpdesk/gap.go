package helpdesk

import (
	"context"
	"html"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	gapOpen    = "open"
	gapDrafted = "drafted"
	gapDismiss = "dismissed"

	maxGaps     = 500 // open ones of a team
	maxWordings = 10
	maxQuestion = 300 // characters: the title of the draft
	maxSimilar  = 200 // gaps that share a word, which a new question is compared with
)

// gapRecord is a stored gap with the terms of its first wording, by which others
// are found to mean the same. They do not grow with the wordings: a gap would
// slide from one subject to the next.
type gapRecord struct {
	Gap   api.Gap  `json:"g"`
	Terms []string `json:"t"`
}

var gaps = kv.NewTable("gap",
	kv.Index[gapRecord]{Name: "state", Keys: func(g *gapRecord, add func([]byte)) {
		add(kv.Key(g.Gap.State))
	}},
	kv.Index[gapRecord]{Name: "term", Keys: func(g *gapRecord, add func([]byte)) {
		for _, term := range g.Terms {
			add(kv.Key(term))
		}
	}},
	// The open gaps by the time of their last question.
	kv.Index[gapRecord]{Name: "stale", Keys: func(g *gapRecord, add func([]byte)) {
		if g.Gap.State == gapOpen {
			add(kv.Key(kv.Uint64(uint64(g.Gap.UpdatedAt))))
		}
	}},
)

// Gap notes a question that no article answers. Questions of one meaning count
// as one gap, also a dismissed one; the first tells of it. What says nothing is
// passed over.
func (s *Service) Gap(ctx context.Context, team, question string) error {
	question = strings.Join(strings.Fields(question), " ")
	if runes := []rune(question); len(runes) > maxQuestion {
		question = string(runes[:maxQuestion])
	}
	words := search.Keywords(question)
	if len(words) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		like, err := alike(tx, team, words)
		if err != nil {
			return err
		}
		if like == nil {
			return s.openGap(tx, team, question, words)
		}
		g := &like.Gap
		g.Question, g.Count = question, g.Count+1
		g.UpdatedAt, g.Version = s.now(), g.Version+1
		if !slices.Contains(g.Questions, question) && len(g.Questions) < maxWordings {
			g.Questions = append(g.Questions, question)
		}
		return gaps.Put(tx, team, g.ID, like)
	})
}

// openGap stores a new gap. Beyond the most there may be, the one that was asked
// for least lately is dropped.
func (s *Service) openGap(tx kv.Tx, team, question string, words []string) error {
	open, err := gaps.List(tx, team, kv.Page[gapRecord]{Index: "stale", Ascending: true, Limit: maxGaps, Budget: maxGaps + 1, Skip: op.Unreadable})
	if err != nil {
		return err
	}
	if len(open.IDs) == maxGaps {
		if err := gaps.Delete(tx, team, open.IDs[0]); err != nil {
			return err
		}
	}
	now := s.Now()
	g := &gapRecord{Terms: words, Gap: api.Gap{
		ID: kv.IDAt("gap", now), Question: question, Questions: []string{question}, Count: 1, State: gapOpen,
		Version: 1, CreatedAt: api.TimeOf(now), UpdatedAt: api.TimeOf(now),
	}}
	if err := gaps.Insert(tx, team, g.Gap.ID, g); err != nil {
		return err
	}
	who := op.Caller{Kind: op.System, Team: team, Actor: api.Actor{Type: "system", ID: "helpdesk"}}
	return event.Append(s.log, tx, who, gapDetected, &g.Gap, nil)
}

// similar is the least share of terms that two questions of one meaning have in
// common.
const similar = 0.6

// alike is the gap most like a question, nil for none. One that became an
// article that did not help is asked anew.
func alike(tx kv.Tx, team string, words []string) (best *gapRecord, err error) {
	p := kv.Page[gapRecord]{Index: "term", Limit: maxSimilar, Skip: op.Unreadable}
	for _, w := range words {
		p.Prefixes = append(p.Prefixes, kv.Key(w))
	}
	p.Keep = func(g *gapRecord) bool { return g.Gap.State != gapDrafted }
	found, err := gaps.List(tx, team, p)
	if err != nil {
		return nil, err
	}
	most := 0.0
	for _, g := range found.Records {
		if share := common(words, g.Terms); share >= similar && share > most {
			best, most = g, share
		}
	}
	return best, nil
}

// common is the share of the terms of both that both have (Jaccard's index).
func common(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if slices.ContainsFunc(b, func(o string) bool { return search.Same(w, o) }) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// ListGaps returns a page of gaps, the newest first.
func (s *Service) ListGaps(ctx context.Context, who op.Caller, in api.GapQuery) (page api.Page[api.Gap], err error) {
	p := kv.Page[gapRecord]{Index: "state", Prefixes: [][]byte{kv.Key(in.State)}}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, gaps, who.Team, in.State, in.PageQuery, p, func(_ string, g *gapRecord) (api.Gap, error) { return g.Gap, nil })
		return err
	})
	return page, err
}

// DismissGap sets a gap aside. A drafted one keeps its draft.
func (s *Service) DismissGap(ctx context.Context, who op.Caller, in api.GapRef) (api.Gap, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Gap, error) {
		g, err := gaps.Get(tx, who.Team, in.ID)
		if err != nil || g.Gap.State == gapDismiss {
			return orZero(g), err
		}
		return s.settleGap(tx, who, g, gapDismiss)
	})
}

func orZero(g *gapRecord) api.Gap {
	if g == nil {
		return api.Gap{}
	}
	return g.Gap
}

func (s *Service) settleGap(tx kv.Tx, who op.Caller, g *gapRecord, state string) (api.Gap, error) {
	g.Gap.State, g.Gap.UpdatedAt, g.Gap.Version = state, s.now(), g.Gap.Version+1
	return g.Gap, gaps.Put(tx, who.Team, g.Gap.ID, g)
}

// DraftGap makes a draft of a gap: its title is the question, its text the
// wordings, for whoever writes the answer.
func (s *Service) DraftGap(ctx context.Context, who op.Caller, in api.GapRef) (api.Article, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		g, err := gaps.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Article{}, err
		}
		if g.Gap.State == gapDrafted {
			return api.Article{}, status.Refuse(gapDrafted, gapDrafted, "The gap has a draft already: %s.", g.Gap.ArticleID)
		}
		r, content, err := s.compose(who, &api.ArticleCreate{Title: printable(g.Gap.Question), Content: wordings(&g.Gap)})
		if err != nil {
			return api.Article{}, err
		}
		a, err := s.add(tx, who, r, content, true)
		if err != nil {
			return a, err
		}
		g.Gap.ArticleID = a.ID
		_, err = s.settleGap(tx, who, g, gapDrafted)
		return a, err
	})
}

// wordings is the text of a gap's draft. Questions are strangers' text.
func wordings(g *api.Gap) string {
	var b strings.Builder
	b.WriteString("<p>Visitors asked:</p>\n<ul>\n")
	for _, q := range g.Questions {
		b.WriteString("<li>" + html.EscapeString(printable(q)) + "</li>\n")
	}
	b.WriteString("</ul>\n<p>[to complete]</p>\n")
	return b.String()
}

// printable leaves out control characters, which a visitor may send and an
// article does not take.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

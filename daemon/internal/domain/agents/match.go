package agents

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search/words"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// minScore is the least score of a match that is worth showing.
const minScore = 0.2

// Match finds the canned responses that fit a message.
func (s *Service) Match(ctx context.Context, who op.Caller, in api.CannedMatch) (api.CannedMatches, error) {
	var all []*api.CannedResponse
	err := s.store.View(ctx, func(tx kv.Tx) (err error) {
		if in.AgentID == "" {
			all, err = everyCanned(tx, who.Team)
			return err
		}
		a, err := agents.Get(tx, who.Team, in.AgentID)
		if err != nil {
			return err
		}
		all, err = linkedCanned(tx, who.Team, a.CannedResponseIDs)
		return err
	})
	hits := matches(in.Message, all)
	hits = slices.DeleteFunc(hits, func(h api.CannedHit) bool { return h.Score < minScore })
	return api.CannedMatches{Data: hits[:min(in.Limit, len(hits))]}, err
}

// matches scores canned responses for a message, best first; equals keep their
// order.
func matches(message string, all []*api.CannedResponse) []api.CannedHit {
	hits := make([]api.CannedHit, 0, len(all))
	for _, c := range all {
		hits = append(hits, api.CannedHit{CannedResponse: *c, Score: score(message, c)})
	}
	slices.SortStableFunc(hits, func(a, b api.CannedHit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// score is the share of the message's keywords that a canned response has: in
// full for those of its title or shortcut, by half for those of its body. A
// title of several keywords that the message names counts for the message.
func score(message string, c *api.CannedResponse) float64 {
	lang := words.Detect(c.Title+"\n"+c.Body, words.Languages()[0])
	asked := llm.Keywords(message, lang)
	if len(asked) == 0 {
		return 0
	}
	title := llm.Keywords(c.Title+" "+strings.NewReplacer("-", " ", "_", " ").Replace(c.Shortcut), lang)
	body := llm.Keywords(c.Body, lang)
	sum, named := 0.0, 0
	for word := range asked {
		switch {
		case title[word]:
			sum++
			named++
		case body[word]:
			sum += 0.5
		}
	}
	share := sum / float64(len(asked))
	if named > 1 { // one word alone may stand in any question
		share = max(share, 0.9*float64(named)/float64(len(title)))
	}
	return math.Round(min(share, 1)*1000) / 1000
}

// run of words that must be the same to call it the same wording.
const shingle = 4

// reused returns the id of the canned response whose wording a text repeats, ""
// for none.
func reused(text string, all []*api.CannedResponse) string {
	said := " " + strings.Join(plainWords(text), " ") + " "
	best, most := "", 0.6
	for _, c := range all {
		if share := repeated(said, c.Body); share >= most {
			best, most = c.ID, share+1e-9
		}
	}
	return best
}

// repeated is the share of a body's runs of words that are in said. Variables
// break runs: what is filled in for them is unknown.
func repeated(said, body string) float64 {
	runs, found := 0, 0
	for _, piece := range variable().Split(body, -1) {
		words := plainWords(piece)
		if len(words) == 0 {
			continue
		}
		n := min(shingle, len(words))
		for i := 0; i+n <= len(words); i++ {
			runs++
			if strings.Contains(said, " "+strings.Join(words[i:i+n], " ")+" ") {
				found++
			}
		}
	}
	if runs == 0 {
		return 0
	}
	return float64(found) / float64(runs)
}

func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

package public

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

// isVote reports the one request that is no question: the answer to "Was this
// helpful?".
func isVote(ctx *fasthttp.RequestCtx) bool {
	return ctx.IsPost() && strings.HasSuffix(string(ctx.Request.URI().PathOriginal()), "/feedback")
}

var (
	errElsewhere = errors.New("the answer comes from another site")
	errTooMany   = errors.New("too many answers from one address")
)

// vote counts an answer and leads back to the article. It asks for no cookie, so
// that the page needs no consent: an address counts once for each article.
func (p *Pages) vote(ctx *fasthttp.RequestCtx, s site, slug string) error {
	if !ctx.IsPost() {
		redirect(ctx, s.HelpArticle(slug))
		return nil
	}
	if !edge.OwnForm(ctx) {
		return errElsewhere
	}
	answer := string(ctx.PostArgs().Peek("helpful"))
	a, found, err := p.source.HelpArticle(ctx, s.Team.ID, slug)
	if err != nil {
		return fmt.Errorf("read help article: %w", err)
	}
	if !found || a.Status != api.ArticlePublished || answer != "yes" && answer != "no" {
		return errNotFound
	}
	counts, err := p.votes.take(p.address(ctx), a.ID)
	if err != nil {
		return err
	}
	if counts {
		if err := p.source.RateHelp(ctx, s.Team.ID, a.ID, answer == "yes"); err != nil {
			return fmt.Errorf("count an answer: %w", err)
		}
	}
	seeOther(ctx, s.HelpArticle(slug)+"?thanks#svc-helpful")
	return nil
}

const (
	voteWindow  = time.Hour
	maxVotes    = 20     // of a network in a window
	maxRemember = 50_000 // answers
)

// votes remembers for an hour which networks have answered.
type votes struct {
	now func() time.Time

	mu    sync.Mutex // guards all below
	since time.Time
	count map[netip.Prefix]int
	voted map[ballot]bool
}

// ballot is the answer of a network about an article.
type ballot struct {
	from    netip.Prefix
	article string
}

// take notes an answer; counts is false for a second one to the same article.
func (v *votes) take(address, article string) (counts bool, err error) {
	from := netaddr.Network(address)
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := v.now(); v.count == nil || now.Sub(v.since) >= voteWindow {
		v.since, v.count, v.voted = now, map[netip.Prefix]int{}, map[ballot]bool{}
	}
	key := ballot{from, article}
	if v.voted[key] {
		return false, nil
	}
	if v.count[from] >= maxVotes || len(v.voted) >= maxRemember {
		return false, errTooMany
	}
	v.count[from]++
	v.voted[key] = true
	return true, nil
}

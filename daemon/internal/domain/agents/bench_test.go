package agents_test

import (
	"context"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/llm"
)

// BenchmarkFirstToken is what an agent adds before the first words of a model:
// the offline one takes no time of its own.
func BenchmarkFirstToken(b *testing.B) {
	w := newWorld(b, llm.Config{})
	for range 3 {
		w.articles = append(w.articles, w.articles[0])
	}
	agent := w.create(`"name":"Ada"`)
	q := agents.Question{Team: "team_a", AgentID: agent.ID, Turns: []agents.Turn{{From: "visitor", Text: "How are refunds paid?"}}}
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		q.OnDelta = func(string) { cancel() }
		if _, err := w.agents.Answer(ctx, q); err == nil {
			b.Fatal("the answer went on")
		}
	}
}

// BenchmarkFilter is the filter's work on an answer in pieces as vendors send
// them.
func BenchmarkFilter(b *testing.B) {
	var pieces []string
	for range 200 {
		pieces = append(pieces, "Refunds are ", "paid within", ` five days [[1|"within`, ` five days"]]. `)
	}
	b.SetBytes(int64(len(strings.Join(pieces, ""))))
	for b.Loop() {
		agents.Filtered(20_000, pieces...)
	}
}

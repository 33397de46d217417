package llm_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

func BenchmarkCover(b *testing.B) {
	r := llm.Open(llm.Config{})
	for b.Loop() {
		if _, err := r.Image(b.Context(), llm.ImageRequest{Title: "Group commit: how a small store writes", Subtitle: "Northwind"}); err != nil {
			b.Fatal(err)
		}
	}
}

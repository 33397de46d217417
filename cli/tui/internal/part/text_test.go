package part_test

import (
	"testing"
	"time"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/sdk/api"
)

func TestAgo(t *testing.T) {
	noon := time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC)
	for want, d := range map[string]time.Duration{"now": 5 * time.Second, "2m": 2 * time.Minute, "3h": 3 * time.Hour, "4d": 100 * time.Hour, "1y": 400 * 24 * time.Hour} {
		if got := part.Ago(noon, api.TimeOf(noon.Add(-d))); got != want {
			t.Errorf("%v ago is %q, want %q", d, got, want)
		}
	}
}

package field_test

import (
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
)

func TestDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{"30m": 30 * time.Minute, "12h": 12 * time.Hour, "2d": 48 * time.Hour, "1w": 168 * time.Hour, "1d12h": 36 * time.Hour, "90s": 90 * time.Second, "0s": 0} {
		if got, err := field.Duration(s); err != nil || got != want {
			t.Errorf("%s is %s, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "d", "2", "2 d", "-1d", "1.5h", "1y", "1mo", "99999999999d", "9999w9999w", "1d d"} {
		if got, err := field.Duration(s); err == nil {
			t.Errorf("%q is %s", s, got)
		}
	}
}

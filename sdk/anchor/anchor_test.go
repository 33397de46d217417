package anchor_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/sdk/anchor"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"Getting started":        "getting-started",
		"What's new in 2.0?":     "whats-new-in-20",
		"`svcctl post sync`":     "svcctl-post-sync",
		"a  b":                   "a--b",
		"snake_case & more":      "snake_case--more",
		"Größe 日本語":              "größe-日本語",
		"  round  ":              "round",
		"Ship it 🚀":              "ship-it-",
		"!?":                     "section",
		strings.Repeat("ü", 400): strings.Repeat("ü", 90),
	} {
		if got := anchor.Of(text); got != want {
			t.Errorf("Of(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSafe(t *testing.T) {
	for id, want := range map[string]string{
		"installation":           "installation",
		"fn:1":                   "fn:1",
		"step-2":                 "step-2",
		"größe":                  "größe",
		"location":               "user-content-location",
		"constructor":            "user-content-constructor",
		"__proto__":              "user-content-__proto__",
		"configUrl":              "user-content-configUrl",
		"Some-Part":              "Some-Part",
		"svc-main":               "user-content-svc-main",
		"a b":                    "",
		`x" onload="y`:           "",
		"":                       "",
		"a\x00b":                 "",
		"\xff":                   "",
		strings.Repeat("x", 201): "",
		"user-content-location":  "user-content-location",
		"2nd":                    "2nd",
	} {
		got := anchor.Safe(id)
		if got != want {
			t.Errorf("Safe(%q) = %q, want %q", id, got, want)
		}
		if again := anchor.Safe(got); again != got {
			t.Errorf("Safe(%q) = %q: a second time it differs", got, again)
		}
	}
}

func TestNames(t *testing.T) {
	var n anchor.Names
	n.Take("setup-1")
	for _, step := range []struct{ text, want string }{
		{"Setup", "setup"}, {"Setup", "setup-2"}, {"Setup", "setup-3"}, {"Location", "user-content-location"}, {"Location", "location-1"}, {"Setup-2", "setup-2-1"},
	} {
		if got := n.Next(step.text); got != step.want {
			t.Errorf("heading %q got %q, want %q", step.text, got, step.want)
		}
	}
	var plain anchor.Names
	if a, b := plain.Next("Same"), plain.Next("Same"); a != "same" || b != "same-1" {
		t.Errorf("two headings got %q and %q, want same and same-1", a, b)
	}
}

package tui_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/cli/tui/internal/tuitest"
)

// TestWizard: an address, a sign-in that fails once, and the team.
func TestWizard(t *testing.T) {
	var asked []tui.SignIn
	s := welcome(t, "http://127.0.0.1:8080", func(_ context.Context, in tui.SignIn) (string, error) {
		asked = append(asked, in)
		if in.Password != "right" {
			return "", errors.New("wrong password")
		}
		return "Acme", nil
	})
	tuitest.Golden(t, "wizard-address", s.View())
	s.Keys("enter", "a", "@", "x", ".", "i", "o", "enter", "b", "a", "d")
	tuitest.Golden(t, "wizard-password", s.View())
	if strings.Contains(s.View(), "bad") {
		t.Error("the password can be read")
	}
	s.Keys("enter")
	s.Sees("could not sign in: wrong password", "a@x.io")
	s.Keys("ctrl+u", "r", "i", "g", "h", "t", "enter")
	tuitest.Golden(t, "wizard-team", s.View())
	s.Keys("enter")
	want := []tui.SignIn{{URL: "http://127.0.0.1:8080", Email: "a@x.io", Password: "bad"}, {URL: "http://127.0.0.1:8080", Email: "a@x.io", Password: "right"}}
	if diff := cmp.Diff(want, asked); diff != "" || s.M.Result().Context != tui.FirstContext {
		t.Errorf("%s, ended with %v", diff, s.M.Result())
	}
}

// TestWizardLink: a sign-in link says where, too.
func TestWizardLink(t *testing.T) {
	var got tui.SignIn
	s := welcome(t, "", func(_ context.Context, in tui.SignIn) (string, error) {
		got = in
		return "Acme", nil
	})
	link := "https://svc.example/sign-in?token=link_x"
	s.Keys(link, "enter", "s", "e", "c", "r", "e", "t", "enter")
	if got.Link != link || got.Password != "secret" || got.Email != "" {
		t.Errorf("asked %+v", got)
	}
}

// welcome is the screens where there is no context yet.
func welcome(t *testing.T, address string, signIn func(context.Context, tui.SignIn) (string, error)) *tuitest.World {
	t.Helper()
	return tuitest.New(t, 80, 24, func(s *tuitest.World) {
		s.Config.Posts, s.Config.Place.URL, s.Config.Desk.SignIn = nil, address, signIn
	})
}

package mcp_test

import (
	"testing"

	"edgesvc.dev/svc/sdk/api"
)

func TestToolsRoundTrip(t *testing.T) {
	d := start(t, settings{})
	s := d.connect(t, "svc_full")
	var made api.Post
	call(t, s, "create_post", map[string]any{"title": "Bread", "content": "<p>Rye</p>"}, &made)
	if made.Status != api.PostDraft || made.Provenance.Source != "mcp" {
		t.Errorf("created %+v", made)
	}
	var got api.Post
	call(t, s, "get_post", map[string]any{"id": made.ID}, &got)
	if got.Content != "<p>Rye</p>" {
		t.Errorf("content %q", got.Content)
	}
	l, _ := s.ListTools(t.Context(), nil)
	for _, x := range l.Tools { t.Log(x.Name) }
}

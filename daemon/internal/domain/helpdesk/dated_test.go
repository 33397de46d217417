package helpdesk_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// An article that comes from elsewhere keeps its date, its old addresses and what
// is known of it.
func TestArticlesFromElsewhere(t *testing.T) {
	w := newWorld(t)
	const past = "2015-12-31T23:30:00.000Z"
	a := optest.Must[api.Article](w, "helpdesk.articles.create", `{"title":"Returns","content":"<p>x</p>","publishedAt":"`+past+`","aliases":["/hc/42-returns/"],"metadata":{"weight":"3"}}`)
	if a.Date.String() != past || a.PublishedAt != 0 || strings.Join(a.Aliases, " ") != "/hc/42-returns" || a.Metadata["weight"] != "3" {
		t.Errorf("%+v", a)
	}
	a = w.do("publish", a.ID)
	if a.PublishedAt.String() != past {
		t.Errorf("published at %s", a.PublishedAt)
	}
	if now, _, err := w.desk.PublicAddress(t.Context(), "team_a", "/hc/42-returns"); err != nil || now != "returns" {
		t.Errorf("leads to %q, %v", now, err)
	}
	a = w.patch(a.ID, `"metadata":{"weight":null,"owner":"Ann"},"aliases":null,"publishedAt":"2016-01-01T00:00:00Z"`)
	if len(a.Metadata) != 1 || a.Metadata["owner"] != "Ann" || len(a.Aliases) != 0 || a.PublishedAt.String() != "2016-01-01T00:00:00.000Z" {
		t.Errorf("%+v", a)
	}
	if now, _, err := w.desk.PublicAddress(t.Context(), "team_a", "/hc/42-returns"); err != nil || now != "" {
		t.Errorf("leads to %q, %v", now, err)
	}
	w.Refused(api.CodeValidationFailed, "helpdesk.articles.update", `{"id":"`+a.ID+`","publishedAt":"2099-01-01T00:00:00Z"}`)
}

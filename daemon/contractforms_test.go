package daemon_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/sdk/api"
)

// TestContractForms holds the patterns of the contract to what is accepted: a
// slug or locale that is taken matches, and one that is refused for its form does
// not. Ids that exist match.
func TestContractForms(t *testing.T) {
	in := start(t)
	for _, path := range []string{"/posts", "/helpdesk/articles"} {
		form := func(member string) *regexp.Regexp {
			var body struct {
				Ref        string `json:"$ref"`
				Properties map[string]struct {
					Pattern string `json:"pattern"`
				} `json:"properties"`
			}
			c := in.contract(t)
			mustJSON(t, c.Paths[path]["post"].RequestBody.Content["application/json"].Schema, &body)
			mustJSON(t, c.Components.Schemas[body.Ref[strings.LastIndexByte(body.Ref, '/')+1:]], &body)
			if body.Properties[member].Pattern == "" {
				t.Fatalf("%s of POST %s has no pattern", member, path)
			}
			return regexp.MustCompile(body.Properties[member].Pattern)
		}
		for member, values := range map[string][]string{
			"slug":   {"", "a", "rye-bread", "2026", "a-1-b", "Rye", "a--b", "-a", "a-", "a_b", "a b", "ä", "a/b", ".", strings.Repeat("x", 100)},
			"locale": {"", "en", "EN", "pt-BR", "zh-Hant-TW", "de-1996", "e", "en_GB", "en-", "-en", "english-of-england", "e1", "x-klingon"},
		} {
			pattern := form(member)
			for _, value := range values {
				body := string(encode(t, map[string]string{"title": "T " + value, "content": "<p>x</p>", member: value}))
				a := in.send(t, http.MethodPost, "/svc-api/v1"+path, in.A.Key, body)
				if taken := a.StatusCode == http.StatusCreated; taken != pattern.MatchString(value) {
					t.Errorf("%s %s %q: %s, and %s matches: %v", path, member, value, a.Status, pattern, pattern.MatchString(value))
				}
			}
		}
	}
	ids := in.populate(t, in.A)
	for _, o := range in.contract(t).operations() {
		for _, p := range o.Parameters {
			if p.Name != "id" {
				continue
			}
			pattern, _ := p.Schema["pattern"].(string)
			for noun, id := range ids {
				if !strings.HasSuffix(noun, ".slug") && (pattern == "" || !regexp.MustCompile(pattern).MatchString(id)) {
					t.Errorf("%s: %q for %s", o.OperationID, pattern, id)
				}
			}
		}
	}
}

// TestZeroRating takes a rating back on the wire: 0 is a value like the others.
func TestZeroRating(t *testing.T) {
	in := start(t)
	conversation := "/svc-api/v1/conversations/" + in.handedOver(t, in.A.SiteID, in.A.Key)
	var said api.MessageList
	mustJSON(t, in.send(t, http.MethodGet, conversation+"/messages", in.A.Key, "").Body, &said)
	i := slices.IndexFunc(said.Data, func(m api.Message) bool { return m.Author.Type == api.AuthorAgent })
	if i < 0 {
		t.Fatalf("no agent said anything: %+v", said)
	}
	message := said.Data[i].ID
	for _, rating := range []string{"1", "0", "-1", "0"} {
		a := in.send(t, http.MethodPost, conversation+"/rate", in.A.Key, `{"messageId":"`+message+`","rating":`+rating+`}`)
		if got, _ := a.JSON(t)["rating"].(float64); a.StatusCode != http.StatusOK || string(encode(t, got)) != rating {
			t.Errorf("rating %s: %s %s", rating, a.Status, a.Body)
		}
	}
	if a := in.send(t, http.MethodPost, conversation+"/rate", in.A.Key, `{"messageId":"`+message+`"}`); a.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("no rating: %s %s", a.Status, a.Body)
	}
}

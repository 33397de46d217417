package daemon_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon"
)

// TestFollowingEndsWithTheKey revokes the key of a stream before the job goes on:
// the stream ends and says nothing more.
func TestFollowingEndsWithTheKey(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-release
		http.Error(w, `{"error":{"message":"no","type":"invalid_request_error"}}`, http.StatusBadRequest)
	}))
	defer vendor.Close()
	in := start(t, func(c *daemon.Config) { c.OpenAIBaseURL, c.OpenAIKey = vendor.URL, "sk-test" })
	owner := in.session(t, in.A)
	made := in.ask(t, "apiKeys.create", owner, `{"name":"reader","scopes":["posts:read"]}`).JSON(t)
	job := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"Slow","generateContent":true,"model":"gpt-6-luna"}`).JSON(t)["jobId"].(string)
	<-asked
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.URL+v1+"/posts/jobs/"+job+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+made["secret"].(string))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, "event: job") {
		t.Fatalf("%q %v", first, err)
	}
	in.ask(t, "apiKeys.revoke", owner, `{"id":"`+made["id"].(string)+`"}`)
	close(release)
	in.send(t, "GET", v1+"/posts/jobs/"+job+"?wait=30", in.A.Key, "")
	if rest, err := io.ReadAll(lines); err != nil || strings.Contains(string(rest), `"failed"`) {
		t.Errorf("%q %v", rest, err)
	}
}

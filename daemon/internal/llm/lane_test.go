package llm_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
)

// What one call learns, that the vendor wants to be left alone, holds for those
// that come after it, of the same model.
func TestRateLimitHoldsAllCallsOfTheModel(t *testing.T) {
	server := llmtest.OpenAI(t, llmtest.RateLimit("30"), llmtest.Text("One."), llmtest.Text("Two."), llmtest.Text("Three."))
	config := server.OpenAIConfig()
	var waits []time.Duration
	config.Wait = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	client := llm.Open(config)
	for _, model := range []string{"gpt-6-luna", "gpt-6-luna", "gpt-6.1-terra"} {
		if _, err := client.Complete(t.Context(), llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(waits) != 2 || waits[0] != 30*time.Second || waits[1] < 20*time.Second || waits[1] > 45*time.Second {
		t.Errorf("waited %v", waits)
	}
}

func TestHeldCallThatCannotWaitIsNotMade(t *testing.T) {
	server := llmtest.OpenAI(t, llmtest.RateLimit("50"))
	config := server.OpenAIConfig()
	config.Limits = llm.Limits{Total: 10 * time.Second}
	client := llm.Open(config)
	for range 3 {
		_, err := client.Complete(t.Context(), llm.Request{Model: "gpt-6-luna", Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}})
		if e := kindOf(t, err); e.Kind != llm.KindRateLimited || !e.Retryable || e.RetryAfter < 40*time.Second {
			t.Errorf("%+v", e)
		}
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// inFlight counts the requests whose answers are not read yet.
type inFlight struct {
	next http.RoundTripper

	mu        sync.Mutex // guards what follows
	now, most int
	more      chan struct{} // receives with each request
}

func (f *inFlight) add(by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now += by
	f.most = max(f.most, f.now)
}

func (f *inFlight) RoundTrip(r *http.Request) (*http.Response, error) {
	f.add(1)
	f.more <- struct{}{}
	resp, err := f.next.RoundTrip(r)
	if err != nil {
		f.add(-1)
		return nil, err
	}
	resp.Body = &counted{resp.Body, sync.OnceFunc(func() { f.add(-1) })}
	return resp, nil
}

type counted struct {
	io.ReadCloser
	done func()
}

func (c *counted) Close() error {
	c.done()
	return c.ReadCloser.Close()
}

func TestSoManyCallsAtOnce(t *testing.T) {
	const calls, atOnce = 8, 3
	release := make(chan struct{})
	var steps []llmtest.Step
	for range calls {
		steps = append(steps, llmtest.Gated(release, "Once", " done."))
	}
	server := llmtest.Anthropic(t, steps...)
	config := server.AnthropicConfig()
	count := &inFlight{next: config.HTTP.Transport, more: make(chan struct{}, calls)}
	config.HTTP, config.Limits = &http.Client{Transport: count}, llm.Limits{AtOnce: atOnce}
	client := llm.Open(config)
	var wg conc.WaitGroup
	for range calls {
		wg.Go(func() {
			got, err := client.Complete(t.Context(), llm.Request{Model: "claude-haiku-5-5", Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}})
			if err != nil || got.Text != "Once done." {
				t.Errorf("%q, %v", got.Text, err)
			}
		})
	}
	for range atOnce {
		<-count.more
	}
	close(release)
	wg.Wait()
	if count.most != atOnce {
		t.Errorf("%d at once", count.most)
	}
}

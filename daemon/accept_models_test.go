package daemon_test

import (
	"image"
	"image/png"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
)

// A gateway in front of the vendor is asked as the vendor is, and draws with the
// image model that is configured.
func TestGatewayOfTheVendor(t *testing.T) {
	var picture strings.Builder
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 16, 9))); err != nil {
		t.Fatal(err)
	}
	vendor := llmtest.OpenAI(t, llmtest.Text("hammers, tools"), llmtest.Picture([]byte(picture.String())))
	in := start(t, func(c *daemon.Config) {
		c.OpenAIBaseURL, c.OpenAIKey = vendor.URL, llmtest.OpenAIKey
		c.OpenAIDialect, c.ImageModel = "vendor", "image-of-the-house"
	})
	job := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"Hammers","content":"<p>x</p>","generateTags":true,"generateImage":true,"model":"gpt-6-luna"}`).
		JSON(t)["generation"].(map[string]any)["jobId"].(string)
	done := in.send(t, "GET", v1+"/posts/jobs/"+job+"?wait=30", in.A.Key, "").JSON(t)
	if done["state"] != "completed" || done["provider"] != "openai" {
		t.Fatalf("%v", done)
	}
	asked := vendor.Requests()
	if text := asked[0].Body; text["reasoning_effort"] != "none" || text["max_completion_tokens"] == nil {
		t.Errorf("%v", text)
	}
	if drawn := asked[1].Body; drawn["model"] != "image-of-the-house" || drawn["output_format"] != "jpeg" {
		t.Errorf("%v", drawn)
	}
}

// The address of a compatible server is enough.
func TestCompatibleServerNeedsNoKey(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.OpenAIBaseURL = "http://127.0.0.1:9/v1" })
	for _, m := range in.send(t, "GET", v1+"/models", in.A.Key, "").JSON(t)["data"].([]any) {
		m := m.(map[string]any)
		if want := map[string]string{"openai": "compatible", "anthropic": "offline"}[m["provider"].(string)]; m["servedBy"] != want {
			t.Errorf("%v", m)
		}
	}
}

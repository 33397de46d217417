package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

func question(text string) llm.OfflineTask {
	return llm.OfflineTask{Kind: llm.TaskChat, Question: text, Passages: []llm.Passage{
		{Title: "Shipping", Text: "We ship every day.", Quotes: []string{"We ship every day."}, Covered: 0.4},
		{Title: "How refunds  work", Covered: 0.8,
			Text:   "You can return a hammer within 30 days.\nRefunds are paid to the card that was used,\nwithin five working days. We pay the postage.",
			Quotes: []string{"Refunds are paid to the card that was used,\nwithin five working days.", "Refunds are paid in gold.", "You can return a hammer within 30 days."}},
	}}
}

func chatOffline(t *testing.T, task llm.OfflineTask) llm.Response {
	t.Helper()
	var deltas []string
	got, err := llm.Open(llm.Config{HTTP: noNetwork(t)}).Complete(t.Context(), llm.Request{
		Model: "claude-haiku-5-5", Messages: []llm.Message{{Role: llm.RoleUser, Text: "ignored offline"}}, Offline: &task,
		OnDelta: func(d string) { deltas = append(deltas, d) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(deltas, "") != got.Text || got.Provider != llm.ProviderOffline {
		t.Errorf("streamed %q, answered %+v", deltas, got)
	}
	return got
}

func TestOfflineChatQuotesTheArticleThatCoversTheQuestion(t *testing.T) {
	got := chatOffline(t, question("How long does a refund to my card take after the return?"))
	golden(t, "chat.md", got.Text+"\n")
	if again := chatOffline(t, question("How long does a refund to my card take after the return?")); again.Text != got.Text {
		t.Errorf("another answer: %q", again.Text)
	}
	if strings.Contains(got.Text, "gold") {
		t.Error("a quote that is not in the article")
	}
}

func TestOfflineChatHandsOver(t *testing.T) {
	unsure := question("How long does a refund take?")
	unsure.Passages[1].Covered = 0.5
	elsewhere := question("Who repairs bicycles?")
	weak := llm.OfflineTask{Kind: llm.TaskChat, Question: "Refund?", Canned: []llm.Canned{{Body: "We pay at once.", Score: 0.5}}}
	unfilled := llm.OfflineTask{Kind: llm.TaskChat, Question: "Refund?", Canned: []llm.Canned{{Body: "Dear {{ name }}.", Score: 1}}}
	for name, task := range map[string]llm.OfflineTask{
		"nothing found": {Kind: llm.TaskChat, Question: "Refund?"}, "little covered": unsure, "no word in common": elsewhere,
		"weak match": weak, "variable that nobody fills": unfilled,
	} {
		got := chatOffline(t, task)
		if got.Text != "" || got.StopReason != llm.StopToolCalls || len(got.ToolCalls) != 1 || got.ToolCalls[0].Name != llm.ToolHandOff {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		var args struct{ Reason string }
		if err := json.Unmarshal(got.ToolCalls[0].Arguments, &args); err != nil || args.Reason != "missing_knowledge" {
			t.Errorf("%s: %s", name, got.ToolCalls[0].Arguments)
		}
	}
}

func TestOfflineChatUsesAGoodCannedResponse(t *testing.T) {
	task := question("How long does a refund take?")
	task.Canned = []llm.Canned{{Body: " Five **working** days.\n", Score: 0.9}, {Body: "Other.", Score: 0.8}}
	if got := chatOffline(t, task); got.Text != "Five **working** days." {
		t.Errorf("%q", got.Text)
	}
}

func TestOfflineChatQuotesNoMoreThanAScreen(t *testing.T) {
	long := strings.Repeat("A refund is paid in five days. ", 40)
	task := llm.OfflineTask{Kind: llm.TaskChat, Question: "When is a refund paid?", Passages: []llm.Passage{{Title: "Refunds", Text: long, Covered: 1, Quotes: []string{long}}}}
	got := chatOffline(t, task)
	first, _, _ := strings.Cut(strings.TrimPrefix(got.Text, "From our help, “Refunds”:\n\n“"), "”[[")
	if n := len([]rune(first)); n > 400 || n < 300 || !strings.HasSuffix(first, "days.") {
		t.Errorf("%d characters: %q", n, first)
	}
}

package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// question is a question with what was found for it.
func question(text string, passages ...llm.Passage) llm.OfflineTask {
	return llm.OfflineTask{Kind: llm.TaskChat, Question: text, Passages: passages}
}

var sure = llm.Passage{
	Article: "art_1", Title: "How refunds  work", Heading: "To your card", Quote: "Refunds are paid to the card that was used,\nwithin five working days.",
	Cover: 0.8, Exact: 0.6, Head: 0.3, Whole: 0.9,
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

// reason is why an answer hands over, "" when it does not.
func reason(t *testing.T, got llm.Response) string {
	t.Helper()
	if len(got.ToolCalls) == 0 {
		return ""
	}
	var args struct{ Reason string }
	if err := json.Unmarshal(got.ToolCalls[0].Arguments, &args); err != nil || got.Text != "" || got.StopReason != llm.StopToolCalls || got.ToolCalls[0].Name != llm.ToolHandOff {
		t.Fatalf("%+v, %v", got, err)
	}
	return args.Reason
}

func TestOfflineChatQuotesWhatIsSure(t *testing.T) {
	got := chatOffline(t, question("How long does a refund to my card take?", sure))
	golden(t, "chat.md", got.Text+"\n")
	if again := chatOffline(t, question("How long does a refund to my card take?", sure)); again.Text != got.Text {
		t.Errorf("another answer: %q", again.Text)
	}
}

// What is less sure is offered: the best section of three articles.
func TestOfflineChatOffersWhatMayHelp(t *testing.T) {
	for name, change := range map[string]func(p *llm.Passage){
		"little covered":               func(p *llm.Passage) { p.Cover = 0.69 },
		"in other words":               func(p *llm.Passage) { p.Exact = 0.49 },
		"not in the title":             func(p *llm.Passage) { p.Head = 0.19 },
		"in the title alone":           func(p *llm.Passage) { p.Cover, p.Whole, p.Head = 0.4, 0.4, 0.4 },
		"brackets that look like more": func(p *llm.Passage) { p.Quote = "See [[1]]" },
		"no words of its own":          func(p *llm.Passage) { p.Quote = "" },
	} {
		p := sure
		change(&p)
		second := llm.Passage{Article: "art_1", Title: "How refunds work", Heading: "Other"}
		task := question("How long does a refund to my card take?", p, second,
			llm.Passage{Article: "art_2", Title: "Shipping [[9]]"}, llm.Passage{Article: "art_3", Title: "Returns", Heading: "Returns"}, llm.Passage{Article: "art_4", Title: "Sizes"})
		got := chatOffline(t, task)
		want := "These may help:\n\n- How refunds work › To your card[[1]]\n- Shipping ((9))[[3]]\n- Returns[[4]]\n\nOr ask for a colleague."
		if got.Text != want || got.Unanswered || reason(t, got) != "" {
			t.Errorf("%s: %q", name, got.Text)
		}
	}
}

// A question of one word that many articles have asks too little.
func TestOfflineChatAsksBack(t *testing.T) {
	task := question("card?", llm.Passage{Article: "art_1", Title: "Refunds", Whole: 0.3})
	task.Common = 31
	if got := chatOffline(t, task); !strings.HasPrefix(got.Text, "What about “card?” would you like to know?\n\n- Refunds[[1]]") {
		t.Errorf("%q", got.Text)
	}
	task.Common = 30
	if got := chatOffline(t, task); !got.Unanswered {
		t.Errorf("%q", got.Text)
	}
}

// The first time nothing is found the visitor may try again; the second time, or
// without any article, a person takes over.
func TestOfflineChatMisses(t *testing.T) {
	far := llm.Passage{Article: "art_1", Title: "Refunds", Quote: "Anything.", Cover: 0.4, Whole: 0.4, Head: 0.3}
	for _, ask := range []string{"Who repairs bicycles?", "Wer repariert mein Fahrrad?"} {
		first := chatOffline(t, question(ask, far))
		if !first.Unanswered || first.Text == "" || reason(t, first) != "" {
			t.Fatalf("%+v", first)
		}
		again := question(ask, far)
		again.Before = first.Text
		if got := chatOffline(t, again); reason(t, got) != "missing_knowledge" {
			t.Errorf("the second miss: %+v", got)
		}
	}
	empty := question("Who repairs bicycles?")
	empty.Empty = true
	if got := chatOffline(t, empty); reason(t, got) != "missing_knowledge" {
		t.Errorf("without an article: %+v", got)
	}
}

func TestOfflineChatUsesAGoodCannedResponse(t *testing.T) {
	task := question("How long does a refund take?", sure)
	task.Canned = []llm.Canned{{Body: " Five **working** days.\n", Score: 0.9}, {Body: "Other.", Score: 0.8}}
	if got := chatOffline(t, task); got.Text != "Five **working** days." {
		t.Errorf("%q", got.Text)
	}
	for _, bad := range []llm.Canned{{Body: "We pay at once.", Score: 0.5}, {Body: "Dear {{ name }}.", Score: 1}} {
		task.Canned = []llm.Canned{bad}
		if got := chatOffline(t, task); !strings.Contains(got.Text, "Refunds are paid") {
			t.Errorf("%+v: %q", bad, got.Text)
		}
	}
}

// Small talk is answered in its language and ends nothing; what only looks like it
// is a question.
func TestSmallTalk(t *testing.T) {
	for message, begins := range map[string]string{
		"hello": "Hello!", "Hi there!": "Hello!", "Good morning": "Hello!", "hey team, how are you doing?": "Hello!",
		"Hallo": "Hallo!", "Guten Tag zusammen": "Hallo!", "Bonjour": "Bonjour !", "Bonsoir à tous": "Bonjour !", "Hola, ¿qué tal?": "¡Hola!",
		"Buongiorno": "Buongiorno!", "Goedemorgen": "Hallo! Ik", "Olá, tudo bem?": "Olá!", "Dzień dobry": "Dzień dobry!",
		"thanks": "You are welcome", "ok great, thank you so much": "You are welcome", "Vielen Dank für die Hilfe!": "Gern geschehen",
		"merci beaucoup": "Avec plaisir", "muchas gracias": "De nada. ¿", "grazie mille": "Prego", "dank je wel": "Graag gedaan", "muito obrigada": "De nada. Posso", "dziękuję bardzo": "Proszę",
		"bye": "Goodbye", "Auf Wiedersehen": "Auf Wiedersehen", "au revoir": "Au revoir", "adiós": "Adiós", "arrivederci": "Arrivederci", "tot ziens": "Tot ziens", "tchau": "Até logo", "do widzenia": "Do widzenia",
		"Are you a bot?": "I am an assistant", "am I talking to a real person?": "I am an assistant", "Bist du ein Mensch?": "Ich bin ein Assistent", "Êtes-vous un robot ?": "Je suis un assistant",
		"¿Eres un bot?": "Soy un asistente", "sei un robot?": "Sono un assistente", "Ben je een mens?": "Ik ben een assistent", "Você é um robô?": "Sou um assistente", "Czy jesteś botem?": "Jestem asystentem",
	} {
		if got := chatOffline(t, question(message, sure)); !strings.HasPrefix(got.Text, begins) || got.Unanswered {
			t.Errorf("%q: %q %s, want %s…", message, got.Text, reason(t, got), begins)
		}
	}
	for _, message := range []string{
		"human", "Operator, please!", "talk to a real person", "Can I talk to a human please?", "connect me with an agent", "I want a human", "put me through", "let me speak to your manager",
		"Hello, I have a big problem with my last order, can I please talk to someone now?",
		"Ich möchte mit einem Mitarbeiter sprechen", "Je veux parler à un humain", "je voudrais parler à quelqu'un", "Quiero hablar con una persona",
		"Vorrei parlare con un operatore", "Kan ik met een medewerker spreken?", "Quero falar com um atendente", "chcę porozmawiać z człowiekiem",
	} {
		if got := reason(t, chatOffline(t, question(message, sure))); got != "customer_request" {
			t.Errorf("%q hands over for %q", message, got)
		}
	}
	for _, message := range []string{
		"How do I transfer my site to another person?", "How are refunds paid?", "Is the handle made for human hands?", "Do hammers come with a person's name on them?",
		"Which user agent does your crawler send?", "hello world example", "good support?", "morning delivery", "thank you page", "how do I add a person", "is this for a team", "bot",
		"Wie lösche ich eine Person?", "agents", "refund", "",
	} {
		if got := chatOffline(t, question(message+" ", sure)); !strings.Contains(got.Text, "Refunds are paid") {
			t.Errorf("%q: %q %s, want the quote", message, got.Text, reason(t, got))
		}
	}
}

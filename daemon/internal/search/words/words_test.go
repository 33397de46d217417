package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

func tokens(text string) (out []string) {
	words.Each(text, func(t words.Token) {
		word := t.Word
		if t.Whole {
			word = "=" + word
		}
		out = append(out, word)
	})
	return out
}

func TestEach(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"Refunds, and RETURNS!":      "refunds and returns",
		"sign-up now":                "sign up =signup now",
		"max_packet_size":            "max packet size =maxpacketsize",
		"a - b":                      "a b",
		"-x- --":                     "x",
		"setupKey apiURLPath":        "setup key =setupkey api url path =apiurlpath",
		"MailChimp and iPhone":       "mailchimp and i phone =iphone",
		"the user's, l'article d’un": "the user article un",
		"don't":                      "don",
		"OAuth2 v1.2 200,000":        "oauth2 v1 2 200 000",
		"Größe Straße Łódź Ærø":      "grosse strasse lodz aero",
		"e\u0301te\u0301":            "ete",
		"ＦＵＬＬ ﬁne":                   "full fine",
		"co\u00adoperate":            "cooperate",
		"返品の方法":                      "返品 品の の方 方法",
		"本":                          "本",
		"WiFiを使う 接続":                 "wifi を使 使う 接続",
		"สวัสดี":                     "สว วส สด",
		"한국어 도움말":                    "한국어 도움말",
		"помощь Привет":              "помощь привет",
		"a\xffb":                     "a b",
		"non\u2011stop":              "non stop =nonstop",
	} {
		if got := strings.Join(tokens(text), " "); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	long := strings.Repeat("ä", 400) + " " + strings.Repeat("x-", 200)
	for _, w := range tokens(long) {
		if len(w) > words.MaxLength+1 {
			t.Errorf("a word of %d bytes", len(w))
		}
	}
}

func FuzzEach(f *testing.F) {
	for _, seed := range []string{"Sign-up for setupKey's l'été", "返品ガ", "a\xff-\u0301b", "ﷺ \u00ad--__''", "İıßſ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		words.Each(text, func(tok words.Token) {
			switch {
			case tok.Word == "" || len(tok.Word) > words.MaxLength || !utf8.ValidString(tok.Word):
				t.Fatalf("%q: the word %q", text, tok.Word)
			case tok.Start < 0 || tok.Start >= tok.End || tok.End > len(text) || tok.End < last:
				t.Fatalf("%q: %q stands at %d to %d, behind %d", text, tok.Word, tok.Start, tok.End, last)
			}
			last = tok.End
			for _, l := range words.Languages() {
				if l.Stem(tok.Word) == "" {
					t.Fatalf("%q has no stem in %s", tok.Word, l.Code)
				}
			}
		})
	})
}

func language(code string) *words.Language {
	i := slices.IndexFunc(words.Languages(), func(l *words.Language) bool { return l.Code == code })
	if i < 0 {
		return words.Other()
	}
	return words.Languages()[i]
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"You can return it within thirty days of the delivery, and we pay for it.":                               "en",
		"Sie können die Ware innerhalb von dreißig Tagen nach dem Erhalt zurückgeben":                            "de",
		"Vous pouvez nous renvoyer les articles dans les trente jours":                                           "fr",
		"Puede devolver los artículos en un plazo de treinta días y sin costes":                                  "es",
		"Potete restituire gli articoli entro trenta giorni dalla consegna, con tutto quello che avete ricevuto": "it",
		"Je kunt de artikelen binnen dertig dagen naar ons terugsturen":                                          "nl",
		"Você pode devolver os artigos em até trinta dias após a entrega":                                        "pt",
		"Refund": "en",
	} {
		if got := words.Detect(text, language("en")); got.Code != want {
			t.Errorf("%q is %s, want %s", text, got.Code, want)
		}
	}
	if got := words.Detect("Die Hard und MacGyver", language("en")); got.Code != "en" {
		t.Errorf("two common words made it %s", got.Code)
	}
	for text, want := range map[string]string{"Wie lösche ich mein Konto?": "de", "facturas": "en", "¿Puedo cambiar el idioma?": "es", "Comment inviter un collègue ?": "fr"} {
		if got := words.DetectShort(text, language("en")); got.Code != want {
			t.Errorf("%q is %s, want %s", text, got.Code, want)
		}
	}
}

func TestOf(t *testing.T) {
	if words.Of("") != nil || words.Of("de-AT").Code != "de" || words.Of("ja") != words.Other() || words.Of("EN").Code != "en" {
		t.Error("a locale has another language")
	}
}

func TestStem(t *testing.T) {
	for _, c := range []struct{ lang, a, b string }{
		{"en", "returns", "returning"}, {"de", "bestellung", "bestellungen"}, {"fr", "facture", "factures"},
		{"es", "factura", "facturas"}, {"it", "fattura", "fatture"}, {"nl", "bestelling", "bestellingen"}, {"pt", "fatura", "faturas"},
	} {
		l := language(c.lang)
		if l.Stem(c.a) != l.Stem(c.b) {
			t.Errorf("%s: %s and %s are two words", c.lang, c.a, c.b)
		}
	}
	if got := language("en").Stem("2024"); got != "2024" {
		t.Errorf("the stem of 2024 is %s", got)
	}
}

func BenchmarkEach(b *testing.B) {
	text := strings.Repeat("You can return what you bought within thirty days; sign-up isn't needed. ", 50)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		words.Each(text, func(words.Token) {})
	}
}

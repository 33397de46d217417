package llm

import "edgesvc.dev/svc/daemon/internal/search/words"

// phrases are what an outline says in one language, besides what the author and the
// team said. English has forms for kinds of articles as well; the others have the one
// that suits every title.
type phrases struct {
	lead, matters, tone string // matters and tone take what was named
	points, related     string
	item                string // below each counted heading
	about, aboutName    string
	next, ask           string
	sections            []section
}

// phrasesFor are those of the language of a title; English where none is clear.
func phrasesFor(title string) *phrases {
	english := words.Languages()[0]
	if p := outlinePhrases[words.DetectShort(title, english).Code]; p != nil {
		return p
	}
	return outlinePhrases[english.Code]
}

var outlinePhrases = map[string]*phrases{
	"en": {
		lead: "Say in two sentences what this is about", matters: " and why it matters to %s", tone: "; tone: %s",
		points: "Points to cover", related: "What we wrote before", item: "What it is, with an example.",
		about: "About us", aboutName: "About %s", next: "Next step", ask: "Say what the reader should do now.",
	},
	"de": {
		lead: "In zwei Sätzen sagen, worum es geht", matters: " und warum das für %s wichtig ist", tone: "; Ton: %s",
		points: "Was vorkommen soll", related: "Was wir dazu geschrieben haben", item: "Was es ist, mit einem Beispiel.",
		about: "Über uns", aboutName: "Über %s", next: "Der nächste Schritt", ask: "Sagen, was jetzt zu tun ist.",
		sections: []section{
			{"Kurz gesagt", []string{"Das eine, das man sich merken soll"}},
			{"Hintergrund", []string{"Was man zuerst wissen muss", "Woher die Frage kommt"}},
			{"Im Einzelnen", []string{"Der erste Punkt, mit einem Beispiel", "Der zweite Punkt, mit einem Beispiel"}},
			{"In der Praxis", []string{"Was man damit anfangen kann"}},
			{"Offene Fragen", []string{"Was noch nicht bekannt ist"}},
		},
	},
	"fr": {
		lead: "Dire en deux phrases de quoi il s’agit", matters: " et pourquoi cela compte pour %s", tone: " ; ton : %s",
		points: "Points à traiter", related: "Ce que nous avons déjà écrit", item: "De quoi il s’agit, avec un exemple.",
		about: "À propos de nous", aboutName: "À propos de %s", next: "Et maintenant", ask: "Dire ce qu’il faut faire maintenant.",
		sections: []section{
			{"En bref", []string{"La chose à retenir"}},
			{"Le contexte", []string{"Ce qu’il faut savoir d’abord", "D’où vient la question"}},
			{"En détail", []string{"Le premier point, avec un exemple", "Le deuxième point, avec un exemple"}},
			{"En pratique", []string{"Ce que l’on peut en faire"}},
			{"Questions ouvertes", []string{"Ce que l’on ne sait pas encore"}},
		},
	},
	"es": {
		lead: "Decir en dos frases de qué se trata", matters: " y por qué importa a %s", tone: "; tono: %s",
		points: "Puntos que tratar", related: "Lo que ya hemos escrito", item: "Qué es, con un ejemplo.",
		about: "Sobre nosotros", aboutName: "Sobre %s", next: "El siguiente paso", ask: "Decir qué hay que hacer ahora.",
		sections: []section{
			{"En resumen", []string{"Lo único que hay que recordar"}},
			{"Contexto", []string{"Lo que hay que saber primero", "De dónde viene la pregunta"}},
			{"En detalle", []string{"El primer punto, con un ejemplo", "El segundo punto, con un ejemplo"}},
			{"En la práctica", []string{"Qué se puede hacer con ello"}},
			{"Preguntas abiertas", []string{"Lo que aún no se sabe"}},
		},
	},
	"it": {
		lead: "Dire in due frasi di che cosa si tratta", matters: " e perché è importante per %s", tone: "; tono: %s",
		points: "Punti da trattare", related: "Che cosa abbiamo già scritto", item: "Che cos’è, con un esempio.",
		about: "Chi siamo", aboutName: "Informazioni su %s", next: "Il prossimo passo", ask: "Dire che cosa fare adesso.",
		sections: []section{
			{"In breve", []string{"L’unica cosa da ricordare"}},
			{"Il contesto", []string{"Che cosa bisogna sapere prima", "Da dove viene la domanda"}},
			{"Nel dettaglio", []string{"Il primo punto, con un esempio", "Il secondo punto, con un esempio"}},
			{"In pratica", []string{"Che cosa se ne può fare"}},
			{"Domande aperte", []string{"Che cosa non si sa ancora"}},
		},
	},
	"nl": {
		lead: "In twee zinnen zeggen waar het over gaat", matters: " en waarom dat belangrijk is voor %s", tone: "; toon: %s",
		points: "Wat aan bod moet komen", related: "Wat we eerder schreven", item: "Wat het is, met een voorbeeld.",
		about: "Over ons", aboutName: "Over %s", next: "De volgende stap", ask: "Zeggen wat er nu te doen is.",
		sections: []section{
			{"Kort gezegd", []string{"Het ene dat je moet onthouden"}},
			{"Achtergrond", []string{"Wat je eerst moet weten", "Waar de vraag vandaan komt"}},
			{"In detail", []string{"Het eerste punt, met een voorbeeld", "Het tweede punt, met een voorbeeld"}},
			{"In de praktijk", []string{"Wat je ermee kunt doen"}},
			{"Open vragen", []string{"Wat nog niet bekend is"}},
		},
	},
	"pt": {
		lead: "Dizer em duas frases de que se trata", matters: " e porque é importante para %s", tone: "; tom: %s",
		points: "Pontos a tratar", related: "O que já escrevemos", item: "O que é, com um exemplo.",
		about: "Sobre nós", aboutName: "Sobre %s", next: "O próximo passo", ask: "Dizer o que fazer agora.",
		sections: []section{
			{"Em resumo", []string{"A única coisa a reter"}},
			{"Contexto", []string{"O que é preciso saber primeiro", "De onde vem a pergunta"}},
			{"Em pormenor", []string{"O primeiro ponto, com um exemplo", "O segundo ponto, com um exemplo"}},
			{"Na prática", []string{"O que se pode fazer com isso"}},
			{"Questões em aberto", []string{"O que ainda não se sabe"}},
		},
	},
}

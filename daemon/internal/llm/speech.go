package llm

// sayings is what the assistant says without a model.
type sayings struct {
	hello, welcome, bye, bot string
	quoted                   string // before a quote; %s is the article
	unlike                   string // after a quote
	mayHelp, orAsk           string // around links
	which                    string // %s is a word
	nothing                  string
}

// speech is how languages greet, thank, part, ask whether they talk to a machine and
// ask for a person: words by themselves, and runs of words divided by |, in which *
// is up to three others. All are folded. The words of a language that English has
// too are in both.
var speech = []struct {
	code, greeting, thanks, bye, fillers, people, bot, person string
	lines                                                     sayings
}{
	{
		code:     "en",
		greeting: "hi hello hey hiya howdy morning evening afternoon greetings",
		thanks:   "thanks thank thx ty cheers appreciated perfect great super ok okay",
		bye:      "bye goodbye cya",
		fillers: `there you all everyone so very much a an the lot for your help good to me my again and do see later how are doing team it
			that was is i please pls want need real live`,
		people: "human person operator representative agent being",
		bot: `are you a bot|are you * bot|are you human|are you * human|are you * person|are you real|are you an ai|are you ai|am i talking to a bot|
			am i talking to a * bot|am i talking to a machine|am i talking to a * person|am i talking to a human|is this a bot`,
		person: `talk to a human|talk to * human|talk to a person|talk to a real person|talk to an agent|talk to * support agent|talk to someone|talk to somebody|
			talk to support|talk with someone|talk with a person|talk with a human|speak to * manager|speak to a human|speak to * human|speak to a person|
			speak to a real person|speak to an agent|speak to someone|speak to somebody|speak with someone|speak with a person|speak with a human|speak with an agent|
			chat with a person|chat with a human|chat with someone|real person please|human please|connect me to|connect me with|put me through|transfer me|
			want a human|want a person|need a human|hand me over`,
		lines: sayings{
			hello:   "Hello! I am an assistant that finds answers in our help. What would you like to know? A colleague can take over at any time.",
			welcome: "You are welcome. Is there anything else?",
			bye:     "Goodbye, and come back whenever you like.",
			bot:     "I am an assistant that finds answers in our help, not a person. A colleague can take over: just ask for one.",
			quoted:  "From our help, “%s”:", unlike: "If that does not answer it, ask for a colleague.",
			mayHelp: "These may help:", orAsk: "Or ask for a colleague.",
			which:   "What about “%s” would you like to know?",
			nothing: "I found nothing about that. Say it in other words, or ask for a colleague.",
		},
	},
	{
		code:     "de",
		greeting: "hi hey hallo moin servus guten tag morgen abend gruss gruezi",
		thanks:   "danke dank dankeschon besten super perfekt ok okay",
		bye:      "tschuss wiedersehen ciao",
		fillers:  "und vielen dir ihnen fur die hilfe euch alle zusammen auf wie geht es wieder schonen noch bitte ein einen echten echter der den",
		people:   "mensch menschen mitarbeiter mitarbeiterin person berater beraterin",
		bot:      "bist du ein bot|bist du * bot|sind sie ein bot|bist du * mensch|sind sie * mensch|bist du echt|bist du eine ki|sind sie eine ki|spreche ich mit einem bot",
		person: `mit jemandem reden|mit jemandem sprechen|mit jemandem chatten|mit einem menschen|mit einem echten menschen|mit einem mitarbeiter|mit einer mitarbeiterin|
			mit einer person|mit einem berater|mit einem kollegen|verbinden sie mich|verbinde mich|echten menschen sprechen`,
		lines: sayings{
			hello:   "Hallo! Ich bin ein Assistent, der Antworten in unserer Hilfe findet. Was möchten Sie wissen? Eine Kollegin oder ein Kollege kann jederzeit übernehmen.",
			welcome: "Gern geschehen. Kann ich noch etwas für Sie tun?",
			bye:     "Auf Wiedersehen, und kommen Sie gern wieder.",
			bot:     "Ich bin ein Assistent, der Antworten in unserer Hilfe findet, kein Mensch. Eine Kollegin oder ein Kollege kann übernehmen: Fragen Sie einfach danach.",
			quoted:  "Aus unserer Hilfe, „%s“:", unlike: "Wenn das Ihre Frage nicht beantwortet, fragen Sie nach einer Kollegin oder einem Kollegen.",
			mayHelp: "Das könnte helfen:", orAsk: "Oder fragen Sie nach einer Kollegin oder einem Kollegen.",
			which:   "Was möchten Sie über „%s“ wissen?",
			nothing: "Dazu habe ich nichts gefunden. Sagen Sie es mit anderen Worten, oder fragen Sie nach einer Kollegin oder einem Kollegen.",
		},
	},
	{
		code:     "fr",
		greeting: "salut bonjour bonsoir coucou hello",
		thanks:   "merci parfait super ok",
		bye:      "revoir adieu ciao",
		fillers:  "beaucoup pour votre ton aide a tous bien ca va et au tout le monde la un une vrai vraie humaine svp plait s il vous te je veux",
		people:   "humain personne conseiller conseillere",
		bot:      "es tu un robot|es tu un bot|etes vous un robot|etes vous un bot|etes vous un * robot|es tu humain|etes vous humain|est ce un robot",
		person: `parler a quelqu un|parler a un humain|parler a une personne|parler a une vraie personne|parler avec quelqu un|parler avec un humain|parler avec une personne|
			parler a un conseiller|un conseiller svp|joindre un conseiller|parler a un agent`,
		lines: sayings{
			hello:   "Bonjour ! Je suis un assistant qui trouve des réponses dans notre aide. Que voulez-vous savoir ? Un collègue peut prendre le relais à tout moment.",
			welcome: "Avec plaisir. Puis-je encore vous aider ?",
			bye:     "Au revoir, et à bientôt.",
			bot:     "Je suis un assistant qui trouve des réponses dans notre aide, pas une personne. Un collègue peut prendre le relais : demandez-le simplement.",
			quoted:  "Dans notre aide, « %s » :", unlike: "Si cela ne répond pas à votre question, demandez un collègue.",
			mayHelp: "Ceci peut vous aider :", orAsk: "Ou demandez un collègue.",
			which:   "Que voulez-vous savoir sur « %s » ?",
			nothing: "Je n’ai rien trouvé à ce sujet. Dites-le autrement, ou demandez un collègue.",
		},
	},
	{
		code:     "es",
		greeting: "hola buenas buenos dias tardes noches",
		thanks:   "gracias perfecto genial ok",
		bye:      "adios hasta luego chao",
		fillers:  "muchas por la ayuda tu su mil que tal y muy amable todo bien a todos una un favor real quiero",
		people:   "humano humana persona agente operador operadora",
		bot:      "eres un bot|eres un robot|eres humano|eres humana|eres una persona|es usted un robot|es usted un bot|es usted una persona",
		person: `hablar con alguien|hablar con una persona|hablar con un humano|hablar con un agente|hablar con un operador|hablar con un asesor|
			un humano por favor|una persona por favor|pasame con|comunicame con`,
		lines: sayings{
			hello:   "¡Hola! Soy un asistente que busca respuestas en nuestra ayuda. ¿Qué quiere saber? Un compañero puede atenderle en cualquier momento.",
			welcome: "De nada. ¿Puedo ayudarle en algo más?",
			bye:     "Adiós, y hasta pronto.",
			bot:     "Soy un asistente que busca respuestas en nuestra ayuda, no una persona. Un compañero puede atenderle: solo tiene que pedirlo.",
			quoted:  "De nuestra ayuda, «%s»:", unlike: "Si eso no responde a su pregunta, pida hablar con un compañero.",
			mayHelp: "Esto puede ayudarle:", orAsk: "O pida hablar con un compañero.",
			which:   "¿Qué quiere saber sobre «%s»?",
			nothing: "No he encontrado nada sobre eso. Dígalo con otras palabras, o pida hablar con un compañero.",
		},
	},
	{
		code:     "it",
		greeting: "ciao salve buongiorno buonasera buon giorno",
		thanks:   "grazie perfetto ok",
		bye:      "arrivederci",
		fillers:  "molte tante mille per aiuto il tuo suo come stai va a tutti e un una vorrei favore vero",
		people:   "umano persona operatore operatrice",
		bot:      "sei un bot|sei un robot|sei umano|sei una persona|e un robot|lei e un robot",
		person:   "parlare con qualcuno|parlare con una persona|parlare con un operatore|parlare con un umano|parlare con un collega|un operatore per favore",
		lines: sayings{
			hello:   "Buongiorno! Sono un assistente che trova risposte nella nostra guida. Che cosa vuole sapere? Un collega può subentrare in qualsiasi momento.",
			welcome: "Prego. Posso aiutarla ancora?",
			bye:     "Arrivederci, a presto.",
			bot:     "Sono un assistente che trova risposte nella nostra guida, non una persona. Un collega può subentrare: basta chiederlo.",
			quoted:  "Dalla nostra guida, «%s»:", unlike: "Se questo non risponde alla sua domanda, chieda di un collega.",
			mayHelp: "Questo può aiutarla:", orAsk: "Oppure chieda di un collega.",
			which:   "Che cosa vuole sapere su «%s»?",
			nothing: "Non ho trovato nulla su questo. Lo dica con altre parole, oppure chieda di un collega.",
		},
	},
	{
		code:     "nl",
		greeting: "hallo hoi hey goedemorgen goedemiddag goedenavond dag",
		thanks:   "bedankt dank dankjewel dankuwel perfect ok",
		bye:      "doei tot ziens",
		fillers:  "je wel u hartelijk voor hulp de uw hoe gaat het allemaal en een echte graag alstublieft",
		people:   "mens medewerker persoon",
		bot:      "ben je een bot|ben je een robot|ben je een mens|bent u een robot|bent u een bot|praat ik met een robot",
		person:   "met iemand praten|met iemand spreken|iemand spreken|met een medewerker|met een mens praten|met een mens spreken|met een persoon praten|met een collega",
		lines: sayings{
			hello:   "Hallo! Ik ben een assistent die antwoorden zoekt in onze hulp. Wat wilt u weten? Een collega kan het altijd overnemen.",
			welcome: "Graag gedaan. Kan ik nog iets voor u doen?",
			bye:     "Tot ziens.",
			bot:     "Ik ben een assistent die antwoorden zoekt in onze hulp, geen mens. Een collega kan het overnemen: vraag er gewoon om.",
			quoted:  "Uit onze hulp, ‘%s’:", unlike: "Als dat uw vraag niet beantwoordt, vraag dan naar een collega.",
			mayHelp: "Dit kan helpen:", orAsk: "Of vraag naar een collega.",
			which:   "Wat wilt u weten over ‘%s’?",
			nothing: "Daarover heb ik niets gevonden. Zeg het in andere woorden, of vraag naar een collega.",
		},
	},
	{
		code:     "pt",
		greeting: "ola oi bom boa dia tarde noite",
		thanks:   "obrigado obrigada perfeito valeu ok",
		bye:      "tchau adeus",
		fillers:  "muito pela ajuda tudo bem e a todos sua um uma por favor quero ate logo",
		people:   "humano pessoa atendente operador",
		bot:      "voce e um robo|voce e um bot|voce e humano|es um robo|es humano|voce e uma pessoa",
		person:   "falar com alguem|falar com uma pessoa|falar com um atendente|falar com um humano|falar com um operador|um atendente por favor",
		lines: sayings{
			hello:   "Olá! Sou um assistente que encontra respostas na nossa ajuda. O que deseja saber? Um colega pode assumir a qualquer momento.",
			welcome: "De nada. Posso ajudar em mais alguma coisa?",
			bye:     "Até logo.",
			bot:     "Sou um assistente que encontra respostas na nossa ajuda, não uma pessoa. Um colega pode assumir: basta pedir.",
			quoted:  "Da nossa ajuda, “%s”:", unlike: "Se isso não responde à sua pergunta, peça um colega.",
			mayHelp: "Isto pode ajudar:", orAsk: "Ou peça um colega.",
			which:   "O que deseja saber sobre “%s”?",
			nothing: "Não encontrei nada sobre isso. Diga com outras palavras, ou peça um colega.",
		},
	},
	{
		code:     "pl",
		greeting: "czesc dzien dobry witam hej hejka wieczor",
		thanks:   "dzieki dziekuje super ok",
		bye:      "widzenia pa",
		fillers:  "bardzo za pomoc do wszystkim jak sie masz i prosze z",
		people:   "czlowiek czlowiekiem konsultant konsultantem",
		bot:      "jestes botem|jestes robotem|czy jestes botem|czy jestes robotem|czy jestes czlowiekiem|czy to bot",
		person:   "rozmawiac z kims|porozmawiac z kims|rozmawiac z czlowiekiem|porozmawiac z czlowiekiem|z konsultantem|polacz mnie",
		lines: sayings{
			hello:   "Dzień dobry! Jestem asystentem, który znajduje odpowiedzi w naszej pomocy. O co chodzi? W każdej chwili może przejąć rozmowę współpracownik.",
			welcome: "Proszę bardzo. Czy mogę jeszcze w czymś pomóc?",
			bye:     "Do widzenia.",
			bot:     "Jestem asystentem, który znajduje odpowiedzi w naszej pomocy, a nie człowiekiem. Współpracownik może przejąć rozmowę: wystarczy poprosić.",
			quoted:  "Z naszej pomocy, „%s”:", unlike: "Jeśli to nie odpowiada na pytanie, proszę poprosić o współpracownika.",
			mayHelp: "To może pomóc:", orAsk: "Można też poprosić o współpracownika.",
			which:   "Czego dotyczy pytanie o „%s”?",
			nothing: "Nic o tym nie znalazłem. Proszę ująć to innymi słowami albo poprosić o współpracownika.",
		},
	},
}

package words

// The weak words are the most common of each language beyond its stop words; names of
// things are left out.
var weakLists = map[string]string{
	"en": `able across actually add ago allow almost alone along already although always another anyway apart around aside ask asked asks available
		away back bad become becomes begin behind believe best better beyond big bit bring brings broke broken call called came cause certain change
		clearly come comes coming common complete correct course currently deal depend depending different directly does done easily easy either
		else end enough especially even everybody everyone everything exactly example except expect fact fail fails far fast feel few fill final
		find fine first five follow form found four free full gave general give given gives giving goes gone good great guess half hand happen
		happened happens hard help hold however idea important inside instead keep keeps kept kind knew knows last late later least leave less
		likely little live long longer look looked looking looks lot made main make makes making matter maybe mean means move near necessary never
		new next nice nobody none normal nothing number often old ones open order otherwise own part particular past people perhaps person place
		play point possible probably problem properly provide purpose put puts question quick quite rather read ready real really reason receive
		recent related remember right run said say says second see seem seems seen sees send sent several show shown shows side similar simple
		simply since single sit size small sometimes somewhere soon special specific stand start started state stay step stop straight stuff
		suddenly sure take taken takes taking talk tell tells think third thought three time times together told took toward tried tries true try
		trying turn turns two unable understand unless use used useful uses using usual usually various wait want way ways whatever whenever whether
		whole wish within without wonder word work working works worse worst write wrong year yesterday yet zero`,
	"de": `bekomme bekommen bitte brauche fehlt finde funktioniert gehen geht gerade gibt habe heute hinein immer jetzt kann können machen mehr möchte
		müssen neu nie noch richtig schon sehe sehen viel wieder wirklich wollen würde`,
	"fr": `aller avoir beaucoup besoin comment encore faire jamais marche mettre nouveau peut peux plus pourquoi pouvoir puis quand quel quelle savoir
		toujours trouver veux voir voudrais`,
	"es": `algo bien cuando cómo dónde encontrar funciona hacer mucho más necesito nuevo nunca poder por puede puedo quiero qué siempre tener todavía
		veo ver`,
	"it": `ancora come dove fare mai molto nuovo posso quando sempre trovare vedere vorrei`,
	"nl": `altijd doen gaan graag hebben krijg kunnen maken moet nieuw nog nooit veel vinden waar wanneer werkt willen zien`,
	"pt": `ainda como consigo encontrar fazer funciona muito nova novo nunca onde posso preciso quando quero sempre ver`,
}

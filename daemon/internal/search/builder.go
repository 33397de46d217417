package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search/words"
)

// Document is a text to be found.
type Document struct {
	ID     string
	Title  string
	Names  string // what is searched like the title: words of its addresses, tags
	Locale string // a BCP 47 tag, or "" when it is not known
	Status string // may have a part behind a slash; see Query
	Lead   string // plain text that is searched like the first section
	HTML   string
}

// maxSections is the most sections of a document: the words of the title are in
// each. The last has the text of all that follow.
const maxSections = 1000

// builder makes a segment.
type builder struct {
	segment
	terms map[string]*growing
	// spelled has the terms of words as they are written, by language: stemming is
	// most of what reading a text costs.
	spelled map[*words.Language]map[string]*growing
}

// growing is the list of a term.
type growing struct {
	list      []byte
	last, doc uint32 // the section and document that were added last
	docs      uint32

	has  counts // in the section that is being read
	seen uint32 // that section, and one
}

func newBuilder() *builder {
	return &builder{
		segment: segment{byID: map[string]uint32{}},
		terms:   map[string]*growing{}, spelled: map[*words.Language]map[string]*growing{},
	}
}

// pack makes a segment of documents alone.
func pack(docs ...*Document) *segment {
	b := newBuilder()
	for _, d := range docs {
		b.add(d)
	}
	return b.pack()
}

// add indexes a document.
func (b *builder) add(d *Document) {
	secs, texts := sectionsOf(d)
	lang := languageOf(d, texts)
	locale := cmp.Or(strings.ToLower(d.Locale), lang.Code)
	b.begin(document{id: d.ID, status: d.Status, locale: locale, lang: lang})
	r := reading{b: b, lang: lang, terms: b.spelledIn(lang)}
	var title []*growing // is the same in each section
	for _, text := range []string{d.Title, d.Names} {
		words.Each(text, func(t words.Token) { title = append(title, r.term(t.Word)) })
	}
	for i := range texts {
		for _, g := range title {
			r.note(g, inTitle)
		}
		for _, h := range secs[i].Path {
			r.read(inHead, h)
		}
		if i == 0 {
			r.read(inBody, d.Lead)
		}
		r.read(inBody, texts[i])
		r.end()
	}
}

// sectionsOf is the sections of a document with their texts: at least one, and at
// most maxSections.
func sectionsOf(d *Document) (secs []safehtml.Section, texts []string) {
	secs = safehtml.Sections(d.HTML)
	if len(secs) == 0 {
		return make([]safehtml.Section, 1), make([]string, 1)
	}
	for i := range secs {
		texts = append(texts, secs[i].Text())
	}
	if last := maxSections - 1; len(secs) > last {
		secs, texts = secs[:last+1], append(texts[:last], strings.Join(texts[last:], "\n"))
	}
	return secs, texts
}

// languageOf is a document's language: of its locale, unless its words speak
// clearly for another.
func languageOf(d *Document, texts []string) *words.Language {
	const enough = 3000 // bytes
	said := words.Of(d.Locale)
	if said == nil {
		said = words.Languages()[0]
	}
	var sample strings.Builder
	sample.WriteString(d.Title)
	for i := 0; i < len(texts) && sample.Len() < enough; i++ {
		sample.WriteString("\n" + texts[i])
	}
	return words.Detect(sample.String(), said)
}

func (b *builder) begin(d document) {
	d.first, d.n = uint32(len(b.secs)), 0
	b.byID[d.id] = uint32(len(b.docs))
	b.docs = append(b.docs, d)
}

// section adds a section to the last document.
func (b *builder) section(n lengths) (sec uint32) {
	doc := uint32(len(b.docs) - 1)
	b.docs[doc].n++
	b.secs = append(b.secs, section{doc, n})
	for f := range fields {
		b.total[f] += int(n[f])
	}
	return uint32(len(b.secs) - 1)
}

func (b *builder) spelledIn(l *words.Language) map[string]*growing {
	if b.spelled[l] == nil {
		b.spelled[l] = map[string]*growing{}
	}
	return b.spelled[l]
}

func (b *builder) term(t string) *growing {
	g := b.terms[t]
	if g == nil {
		g = &growing{doc: math.MaxUint32}
		b.terms[strings.Clone(t)] = g
	}
	return g
}

// post notes that a term is in the section sec, which is behind all that have
// it.
func (b *builder) post(g *growing, sec uint32, has counts) {
	if doc := b.secs[sec].doc; doc != g.doc {
		g.doc = doc
		g.docs++
	}
	g.list = appendPosting(g.list, g.last, sec, has)
	g.last = sec
}

// reading is a section that is being read.
type reading struct {
	b     *builder
	lang  *words.Language
	terms map[string]*growing // of words as they are written

	n   lengths
	has []*growing // terms of the section
}

func (r *reading) read(field int, text string) {
	words.Each(text, func(t words.Token) { r.note(r.term(t.Word), field) })
}

// term is the one of a word as it is written.
func (r *reading) term(word string) *growing {
	g := r.terms[word]
	if g == nil {
		g = r.b.term(r.lang.Stem(word))
		r.terms[word] = g
	}
	return g
}

// note counts a term in a field of the section.
func (r *reading) note(g *growing, field int) {
	if now := uint32(len(r.b.secs)) + 1; g.seen != now {
		g.seen, g.has = now, counts{}
		r.has = append(r.has, g)
	}
	if g.has[field] < maxTimes {
		g.has[field]++
	}
	if r.n[field] < math.MaxUint16 {
		r.n[field]++
	}
}

// end adds the section.
func (r *reading) end() {
	sec := r.b.section(r.n)
	for _, g := range r.has {
		r.b.post(g, sec, g.has)
	}
	r.has, r.n = r.has[:0], lengths{}
}

func (b *builder) pack() *segment {
	type entry struct {
		term string
		*growing
	}
	terms := make([]entry, 0, len(b.terms))
	letters, postings := 0, 0
	for t, g := range b.terms {
		terms = append(terms, entry{t, g})
		letters, postings = letters+len(t), postings+len(g.list)
	}
	slices.SortFunc(terms, func(a, b entry) int { return strings.Compare(a.term, b.term) })
	g := b.segment
	var all strings.Builder
	all.Grow(letters)
	g.lists = make([]byte, 0, postings)
	g.ends, g.at, g.df = make([]uint32, len(terms)), make([]uint32, len(terms)), make([]uint32, len(terms))
	for i, t := range terms {
		all.WriteString(t.term)
		g.lists = append(g.lists, t.list...)
		g.ends[i], g.at[i], g.df[i] = uint32(all.Len()), uint32(len(g.lists)), t.docs
	}
	g.terms = all.String()
	g.docs, g.secs = slices.Clip(g.docs), slices.Clip(g.secs)
	return &g
}

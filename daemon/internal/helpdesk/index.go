package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	scoring "github.com/blevesearch/bleve_index_api"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
)

// index is the full-text index of all teams' articles in a folder. It holds no
// text, only where words stand; what it finds is read from the store. It follows
// the event log: how far it has come is kept in the index itself, so that index
// and data can be compared. Nothing is opened before there is an article and
// somebody searches or writes.
type index struct {
	dir   string
	store kv.Store
	log   *event.Log

	again sync.Mutex // one at a time makes an index beside one that is in use

	// turn lets one at a time open, follow or replace. It guards position and
	// noted.
	turn     sync.Mutex
	position uint64 // the event that was looked at last
	noted    uint64 // the position that the index has on disk

	using sync.RWMutex // guards open: a search holds it, so that the index stays
	open  bleve.Index  // nil before it is needed
}

// What the index keeps beside the words.
var (
	formatKey   = []byte("format")
	positionKey = []byte("position")
)

// format is another one whenever terms or the mapping change: an index of an
// older one is made anew.
const format = "1"

// catchUp brings the index to the end of the log and returns when it has.
func (x *index) catchUp(ctx context.Context) error {
	x.turn.Lock()
	defer x.turn.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if idx := x.current(); idx != nil {
		return x.toTheEnd(ctx, idx)
	}
	return nil
}

func (x *index) toTheEnd(ctx context.Context, idx bleve.Index) error {
	for {
		more, err := x.follow(ctx, idx)
		if err != nil || !more {
			return err
		}
	}
}

func (x *index) current() bleve.Index {
	x.using.RLock()
	defer x.using.RUnlock()
	return x.open
}

// ready opens the index, or makes it from the store when there is none that fits
// the data. Without articles it leaves it closed.
func (x *index) ready(ctx context.Context) error {
	if x.current() != nil {
		return nil
	}
	some := false
	err := x.store.View(ctx, func(tx kv.Tx) error {
		_, err := table.Each(tx, "", 1, func(string, string, *record) error { some = true; return nil })
		return err
	})
	if err != nil || !some {
		return err
	}
	found, err := openFolder(x.dir)
	if err == nil {
		if x.position, err = x.place(ctx, found); err == nil {
			x.noted = x.position
			x.use(found)
			return nil
		}
		err = errors.Join(err, found.Close())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, bleve.ErrorIndexPathDoesNotExist) {
		slog.InfoContext(ctx, "the search index is made anew", "folder", x.dir, "because", err)
	}
	next := x.dir + ".new"
	position, _, err := x.build(ctx, next)
	if err != nil {
		return err
	}
	return x.adopt(ctx, next, position)
}

// rebuild makes the index anew while searches and writes go on in the old one.
func (x *index) rebuild(ctx context.Context) (articles int, err error) {
	x.again.Lock()
	defer x.again.Unlock()
	next := x.dir + ".again"
	position, articles, err := x.build(ctx, next)
	if err != nil {
		return 0, err
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	return articles, x.adopt(ctx, next, position)
}

func (x *index) use(found bleve.Index) {
	x.using.Lock()
	defer x.using.Unlock()
	x.open = found
}

// close leaves the folder alone until the index is needed again.
func (x *index) close() error {
	x.using.Lock()
	defer x.using.Unlock()
	if x.open == nil {
		return nil
	}
	err := x.open.Close()
	x.open = nil
	return err
}

// lockWait is how long to wait for another process that has the folder.
const lockWait = "2s"

func openFolder(dir string) (found bleve.Index, err error) {
	err = calm(func() error {
		found, err = bleve.OpenUsing(dir, map[string]any{"bolt_timeout": lockWait})
		return err
	})
	return found, err
}

// calm turns a panic of the library, which damaged files can cause, into an
// error.
func calm(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the search index is damaged: %v", p)
		}
	}()
	return fn()
}

// place is the position of an index that was found, which is refused unless it
// was made by this format and from this log. After a restored backup the log is
// shorter than the index knows it, or has another event at its place.
func (x *index) place(ctx context.Context, found bleve.Index) (position uint64, err error) {
	written, err := found.GetInternal(formatKey)
	if err != nil {
		return 0, err
	}
	if string(written) != format {
		return 0, fmt.Errorf("its format is %q, not %q", written, format)
	}
	mark, err := found.GetInternal(positionKey)
	if err != nil {
		return 0, err
	}
	var id string
	if _, err := fmt.Sscan(string(mark), &position, &id); err != nil || position == 0 {
		return 0, fmt.Errorf("it was not finished")
	}
	err = x.store.View(ctx, func(tx kv.Tx) error {
		there, err := x.log.Read(tx, position-1, 1)
		if err == nil && (len(there) == 0 || there[0].ID != id) {
			err = fmt.Errorf("it is of other data: event %d is not %s", position, id)
		}
		return err
	})
	return position, err
}

// mark is the position as the index keeps it.
func (x *index) mark(tx kv.Tx, position uint64) ([]byte, error) {
	there, err := x.log.Read(tx, max(position, 1)-1, 1)
	if err != nil || len(there) == 0 {
		return nil, err
	}
	return fmt.Appendf(nil, "%d %s", position, there[0].ID), nil
}

// entry is an article as the index sees it. The title stands in all fields and
// headings in two: the library scores lower what matches in fewer of them.
type entry struct {
	Team     string `json:"team"`
	Status   string `json:"status"`
	Title    string `json:"title"`
	Headings string `json:"headings"`
	Body     string `json:"body"`
}

func newEntry(tx kv.Tx, team string, r *record, stem func(string) string) (entry, error) {
	body, err := table.Body(tx, team, r.Article.ID)
	content := string(body)
	headings := []string{r.Article.Title}
	for _, h := range safehtml.Headings(content) {
		headings = append(headings, h.Text)
	}
	return entry{
		Team: team, Status: r.Article.Status, Title: words(r.Article.Title, stem),
		Headings: words(strings.Join(headings, "\n"), stem), Body: words(r.Article.Title+"\n"+safehtml.Text(content), stem),
	}, err
}

// words are the terms of a text as the index takes them.
func words(text string, stem func(string) string) string {
	var b strings.Builder
	eachTerm(text, stem, func(term string) { b.WriteString(term + " ") })
	return b.String()
}

// newMapping scores by BM25. Texts come as terms already.
func newMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = scoring.BM25Scoring
	if err := m.AddCustomAnalyzer("terms", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		return nil, fmt.Errorf("describe the search index: %w", err)
	}
	doc := bleve.NewDocumentStaticMapping()
	for name, analyzer := range map[string]string{
		"team": keyword.Name, "status": keyword.Name, "title": "terms", "headings": "terms", "body": "terms",
	} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = analyzer, false, false, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping = doc
	return m, nil
}

const rebuildPage = 250

// build makes an index of what is in the store in the folder next, and leaves it
// closed.
func (x *index) build(ctx context.Context, next string) (position uint64, articles int, err error) {
	if err := errors.Join(os.RemoveAll(next), os.MkdirAll(filepath.Dir(x.dir), 0o700)); err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	m, err := newMapping()
	if err != nil {
		return 0, 0, err
	}
	made, err := bleve.New(next, m)
	if err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	position, articles, err = x.fill(ctx, made)
	if err = errors.Join(err, made.Close()); err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	return position, articles, nil
}

// adopt replaces the index by the one in the folder next, once that has what
// changed while it was made: a search never sees less than one before it.
func (x *index) adopt(ctx context.Context, next string, position uint64) error {
	was, noted := x.position, x.noted
	x.position, x.noted = position, position
	made, err := openFolder(next)
	if err == nil {
		err = errors.Join(x.toTheEnd(ctx, made), made.Close())
	}
	if err != nil {
		x.position, x.noted = was, noted
		return fmt.Errorf("complete the search index: %w", err)
	}
	x.using.Lock()
	defer x.using.Unlock()
	if x.open != nil {
		err = x.open.Close()
		x.open = nil
	}
	if err = errors.Join(err, os.RemoveAll(x.dir), os.Rename(next, x.dir)); err != nil {
		return fmt.Errorf("replace the search index: %w", err)
	}
	if x.open, err = openFolder(x.dir); err != nil {
		x.open = nil
		return fmt.Errorf("open the search index: %w", err)
	}
	return nil
}

// fill adds every article. The position is taken before: what changes meanwhile
// is looked at again.
func (x *index) fill(ctx context.Context, into bleve.Index) (position uint64, articles int, err error) {
	var mark []byte
	err = x.store.View(ctx, func(tx kv.Tx) error {
		if position, err = x.log.Last(tx); err == nil {
			mark, err = x.mark(tx, position)
		}
		return err
	})
	stem := remembering()
	for after, more := "", true; more && err == nil; more = after != "" {
		batch := into.NewBatch()
		err = x.store.View(ctx, func(tx kv.Tx) error {
			after, err = table.Each(tx, after, rebuildPage, func(team, id string, r *record) error {
				e, err := newEntry(tx, team, r, stem)
				if err != nil {
					return err
				}
				articles++
				return batch.Index(id, e)
			})
			return err
		})
		if err == nil {
			err = into.Batch(batch)
		}
	}
	if err != nil {
		return 0, 0, err
	}
	last := into.NewBatch()
	last.SetInternal(formatKey, []byte(format))
	last.SetInternal(positionKey, mark)
	return position, articles, into.Batch(last)
}

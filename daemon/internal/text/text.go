// Package text is the life that the texts of a team have in common, posts and
// help articles: drafts that are published, archived and deleted, revisions,
// slugs and the addresses that they had, and content that is safe to show. It
// knows no table of texts; a Kind says what is special.
package text

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/sdk/api"
)

// The statuses of every text.
const (
	Draft     = api.PostDraft
	Published = api.PostPublished
	Archived  = api.PostArchived
)

// Source asks for content as it was sent, also where it could run in a browser.
const Source = "source"

// ByAI reports that the caller is a language model's client, whose texts are
// drafts until a person publishes them.
func ByAI(who op.Caller) bool {
	return who.Kind == op.Agent || who.Source == "mcp" || who.Source == "agent"
}

// Kind describes one kind of text. T is its object in the contract.
type Kind[T any] struct {
	Noun      string // "post"
	Revisions revision.Table
	Addresses Addresses
	Fields    func(v *T) Fields
	Status    *status.Machine[T]
	Updated   event.Kind[T]
	// Derived are members that follow from others: their change is none.
	Derived []string
	// Times are members that follow from the status: an event of the status tells
	// of their change.
	Times []string

	differ resource.Differ[T]
}

// Fields are the members that every text has.
type Fields struct {
	ID, Title, Description, Slug, Status, Content *string // Description may be nil
	Tags                                          *[]string
	Version                                       *int
	UpdatedAt, PublishedAt, Date                  *api.Time
	Aliases                                       *[]string
	Public                                        bool
}

// Kept is what is stored beside a text.
type Kept struct {
	Revisions int    // how many there are
	Editor    string // who wrote the present text
	Active    bool   // the content could run something in a browser
}

// New completes the description of a kind.
func New[T any](k Kind[T]) *Kind[T] {
	k.differ = resource.NewDiffer[T](append([]string{"content"}, k.Derived...)...)
	return &k
}

// Shown is content for readers: as it was sent when it is inert or they ask for
// the source, sanitised otherwise.
func (k Kept) Shown(content string, source bool) string {
	if !k.Active || source {
		return content
	}
	return safehtml.Sanitize(content)
}

// ErrArchived refuses a change that an archived text does not take.
func (k *Kind[T]) ErrArchived() error {
	return status.Refuse(Archived, Draft, "The %s is archived; unarchive it to change it.", k.Noun)
}

// CheckDelete refuses to delete a text that is public.
func (k *Kind[T]) CheckDelete(v *T) error {
	if at := *k.Fields(v).Status; at == Published {
		return status.Refuse(at, "DELETED", "A published %s cannot be deleted. Archive it first.", k.Noun)
	}
	return nil
}

// Row is what a kind adds to the operation of a verb.
type Row struct {
	Scope op.Scope
	Tool  string
	Hints op.Hints
	Doc   string
}

// Told are the events of a kind's statuses; those without a name are not told.
type Told[T any] struct{ Published, Unpublished, Archived, Restored event.Kind[T] }

// Statuses are the moves of every text. noun is as refusals begin, "A post"; rows
// are by verb: publish, unpublish, archive and unarchive.
func Statuses[T any](noun string, field func(*T) *string, seen func(*T) string, told Told[T], rows map[string]Row) *status.Machine[T] {
	tell := func(kinds ...event.Kind[T]) (named []event.Kind[T]) {
		for _, k := range kinds {
			if k.Name != "" {
				named = append(named, k)
			}
		}
		return named
	}
	row := func(verb string) op.Op {
		r := rows[verb]
		return op.Op{Scope: r.Scope, Tool: r.Tool, Hints: r.Hints, Doc: r.Doc}
	}
	return &status.Machine[T]{
		Noun: noun, Field: field, Seen: seen,
		Moves: []status.Move[T]{
			{Verb: "publish", From: []string{Draft}, To: Published, Events: tell(told.Published), Row: row("publish")},
			{Verb: "publish", From: []string{Archived}, To: Published, Events: tell(told.Restored, told.Published)},
			{Verb: "unpublish", From: []string{Published}, To: Draft, Events: tell(told.Unpublished), Row: row("unpublish")},
			{Verb: "archive", From: []string{Draft, Published}, To: Archived, Events: tell(told.Archived), Row: row("archive")},
			{Verb: "unarchive", From: []string{Archived}, To: Draft, Events: tell(told.Restored), Row: row("unarchive")},
		},
	}
}

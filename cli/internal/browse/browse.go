// Package browse is a noun as rows of text beside one object in full: what a
// screen shows of any kind of object. It knows no noun and no screen.
package browse

import (
	"context"
	"io"
)

// Noun is a kind of object. Of those of its functions that may be nil, a nil one
// is not offered.
type Noun struct {
	Name    string // as it is typed, such as help-article
	Title   string // in the plural, such as Help articles
	Columns []Column
	// Changed begins the types of the events that tell of a change; "" is none.
	Changed string
	// Members says that it takes a member's session.
	Members bool
	// Of names what the list is of, such as post; "" is the whole team.
	Of string
	// Ask asks for that; "" asks for its slug or id.
	Ask string

	// List reads a page; of is what the list is of.
	List func(ctx context.Context, of, cursor string) (*Page, error)
	// Get reads one object in full; nil shows what the list said.
	Get func(ctx context.Context, row *Row) (*Detail, error)
	// Edit has an object edited on a terminal, and says what was saved.
	Edit  func(ctx context.Context, t Terminal, row *Row) (string, error)
	Verbs []Verb
	// Status says what there is in all, and how far a verb is; nil says nothing.
	Status func() string
	// Command is the line for a shell that shows an object.
	Command func(row *Row) string
}

// Column is one column of a list. Flex gives way where there is little room.
type Column struct {
	Name string
	Flex bool
}

// Row is one object of a list.
type Row struct {
	ID    string
	Of    string   // what the list was of
	Label string   // what people call it
	Cells []string // as the columns
	Keys  []string // to sort by, as the columns: times in full, numbers as they are
	// Detail is what the list knows of the object.
	Detail func() *Detail
}

// Page is a part of a list.
type Page struct {
	Rows []Row
	Next string // the cursor of the next page, "" at the end
}

// Detail is one object in full: facts with their names, and a text in Markdown.
type Detail struct {
	Facts [][2]string
	Text  string
}

// Verb is something that is done to an object, and says what was done.
type Verb struct {
	Key, Name, Doc string
	// Typed has the object's label typed before.
	Typed bool
	Do    func(ctx context.Context, row *Row) (string, error)
}

// Terminal is what an editor takes over while it runs.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

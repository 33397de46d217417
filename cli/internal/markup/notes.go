package markup

import "slices"

// Kind is what a note is about.
type Kind string

// The kinds of notes.
const (
	Mark      Kind = "mark"      // a mark of another program that was left out
	Component Kind = "component" // a component whose content is alone
	Element   Kind = "element"   // an element of HTML that was left out with its content
	Link      Kind = "link"      // a link that leads nowhere, whose text stays
	Fragment  Kind = "fragment"  // a link to a part that its page has not
	Picture   Kind = "picture"   // a picture that is not there
	Change    Kind = "change"    // something that became something else
	Behind    Kind = "behind"    // a link that still leads to the old site
	Stays     Kind = "stays"     // a site whose picture is still shown from there
	Unfetched Kind = "unfetched" // a picture that could not be fetched and is still shown from where it was
)

// Note is something of a text that readers will not see as its author wrote it.
type Note struct {
	Kind Kind
	What string
}

type notes struct{ all []Note }

func (n *notes) add(kind Kind, what string) {
	note := Note{kind, what}
	if !slices.Contains(n.all, note) {
		n.all = append(n.all, note)
	}
}

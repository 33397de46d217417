// Package search finds the texts, and their sections, that answer a question or
// hold the words of a search.
//
// It keeps no text: what it needs of each word is packed in memory, a team at a
// time, with a copy in the store from which it starts. A search looks at the
// store for what has changed since the one before, so that it sees every change,
// whichever daemon made it. The package does not know what the texts are.
package search

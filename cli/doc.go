// Package cli is svcctl: it joins the commands and runs one command line. Each
// noun is a package below internal, which exports New. The verbs that all nouns
// have come from internal/crud, which reads their flags in the contract; another
// verb is an options struct, a constructor of its command and a run function.
// Data goes to standard output, talk to standard error; what a command needs of a
// daemon it gets through the sdk. It keeps no state outside the value that a run
// makes.
//
// Do not import the daemon or bubbletea from here: svcctl version has to start
// in milliseconds.
package cli

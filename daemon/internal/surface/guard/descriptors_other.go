//go:build !unix

package guard

// Descriptors is how many files and connections the process may have open at
// once; 0 is unknown: this system has no such limit.
func Descriptors() int { return 0 }

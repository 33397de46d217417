//go:build unix

package guard

import "syscall"

// Descriptors is how many files and connections the process may have open at
// once; 0 is unknown. Go raises the soft limit to the hard one at the start.
func Descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > maxDescriptors {
		return 0
	}
	return int(limit.Cur) // bounded above; some systems have it signed
}

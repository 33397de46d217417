//go:build unix

package guard

import (
	"net"
	"syscall"
)

// waiting reports whether the system holds bytes of the connection that nobody
// has read yet: on a busy machine its goroutine may not have had its turn.
func waiting(c net.Conn) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	var n int
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, _ = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK) // the socket does not block
	})
	return err == nil && n > 0
}

package daemon

import (
	"log/slog"
	"net"
	"os"
)

// notify tells systemd of a change of state (sd_notify(3)), when it asked.
func notify(state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		slog.Warn("cannot tell the service manager", "state", state, "err", err)
		return
	}
	if _, err := conn.Write([]byte(state)); err != nil {
		slog.Warn("cannot tell the service manager", "state", state, "err", err)
	}
	if err := conn.Close(); err != nil {
		slog.Warn("cannot close the service manager's socket", "err", err)
	}
}

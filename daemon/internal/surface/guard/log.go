package guard

import (
	"errors"
	"io"
	"log/slog"
	"net"
)

// serverLog receives what fasthttp has to say. It keeps the kind of event and
// the kind of error, and drops every text: parse errors quote header lines.
type serverLog struct{ log *slog.Logger }

// Printf implements fasthttp.Logger.
func (l serverLog) Printf(format string, args ...any) {
	cause := "none"
	for _, a := range args {
		if err, ok := a.(error); ok {
			cause = kind(err)
		}
	}
	l.log.Debug("http server", "event", format, "cause", cause)
}

func kind(err error) string {
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		return "timeout"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return "closed"
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return "network"
	}
	return "malformed request"
}

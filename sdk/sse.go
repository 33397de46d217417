package sdk

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxEvent bounds one server-sent event; a job with its steps has a few KiB.
const maxEvent = 4 << 20

// errLargeEvent is an event above maxEvent.
var errLargeEvent = errors.New("an event of the stream is too large")

// message is one server-sent event (WHATWG HTML, 9.2.6).
type message struct {
	event, data, id string
}

// messages calls yield for each whole event until the stream ends or yield
// returns false. Comments, such as heartbeats, are passed over. seen is called
// for every line.
func messages(r io.Reader, seen func(), yield func(message) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxEvent)
	var m message
	var data []string
	size := 0
	for lines.Scan() {
		seen()
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "" {
			m.data = strings.Join(data, "\n")
			if len(data) > 0 && !yield(m) {
				return nil
			}
			m, data, size = message{}, nil, 0
			continue
		}
		if size += len(line); size > maxEvent {
			return errLargeEvent
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			m.event = value
		case "id":
			m.id = value
		case "data":
			data = append(data, value)
		}
	}
	return lines.Err()
}

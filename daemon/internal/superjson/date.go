package superjson

import (
	"errors"
	"fmt"
	"time"
)

// maxDate is the furthest instant of a JavaScript Date from 1970, in
// milliseconds.
const maxDate = 8_640_000_000_000_000

var errDate = errors.New("a Date must be an ISO 8601 time with its zone")

// parseDate reads RFC 3339, and the six-digit years that toISOString writes
// outside 0 to 9999.
func parseDate(s string) (int64, error) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return 0, errDate
		}
		return t.UnixMilli(), nil
	}
	var year, month, day, hour, minute, second, ms int
	n, err := fmt.Sscanf(s, "%7d-%2d-%2dT%2d:%2d:%2d.%3dZ", &year, &month, &day, &hour, &minute, &second, &ms)
	t := time.Date(year, time.Month(month), day, hour, minute, second, ms*int(time.Millisecond), time.UTC)
	at := t.UnixMilli()
	// What does not read back the same had a field out of range.
	if err != nil || n != 7 || at > maxDate || at < -maxDate || string(appendDate(nil, at)) != s {
		return 0, errDate
	}
	return at, nil
}

// appendDate writes a Date as toISOString does.
func appendDate(dst []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		dst = fmt.Appendf(dst, "%+07d", y)
		return t.AppendFormat(dst, "-01-02T15:04:05.000Z")
	}
	return t.AppendFormat(dst, "2006-01-02T15:04:05.000Z")
}

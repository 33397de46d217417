package api

import (
	"fmt"
	"time"
)

// Time is an instant in milliseconds since 1970 UTC. The zero value means "not
// yet" and is null on the wire.
type Time int64

const timeFormat = "2006-01-02T15:04:05.000Z"

// TimeOf truncates t to milliseconds; a zero t gives the zero Time.
func TimeOf(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Time returns t in UTC, the zero time.Time for the zero value.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t)).UTC()
}

// IsZero reports whether t is unset.
func (t Time) IsZero() bool { return t == 0 }

// String returns the wire form, empty for the zero value.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Time().Format(timeFormat)
}

// MarshalJSON writes the wire form, null for the zero value.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	b := make([]byte, 0, len(timeFormat)+2)
	b = append(b, '"')
	b = t.Time().AppendFormat(b, timeFormat)
	return append(b, '"'), nil
}

// UnmarshalJSON reads any RFC 3339 time, or null.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	if len(b) < 2 || b[0] != '"' {
		return fmt.Errorf("time must be an RFC 3339 string")
	}
	parsed, err := ParseTime(string(b[1 : len(b)-1]))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// ParseTime reads an RFC 3339 time.
func ParseTime(s string) (Time, error) {
	parsed, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fmt.Errorf("time must be RFC 3339, like 2026-01-02T15:04:05Z")
	}
	return TimeOf(parsed), nil
}

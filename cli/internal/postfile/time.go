package postfile

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// layouts are the forms in which people write times, the most exact first.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05 MST", "2006-01-02 15:04 -0700", "2006-01-02 15:04 -07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04 MST",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
	"2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02", "2006-1-2 15:04:05", "2006-1-2 15:04", "2006-1-2", "2006/1/2 15:04:05", "2006/1/2",
	time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon Jan 2 15:04:05 2006", "Mon Jan 2 2006 15:04:05 GMT-0700",
	"January 2, 2006 15:04:05", "January 2, 2006 15:04", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006", "2 January 2006", "2 Jan 2006", "2. January 2006",
	"Monday, January 2, 2006", "Mon, Jan 2, 2006", "January 2006", "2006-01", "20060102",
}

var (
	fraction  = regexp.MustCompile(`(:\d\d)\.\d+`)
	hours     = regexp.MustCompile(`([+-]\d\d)$`)
	zoneNames = strings.NewReplacer(" EST", " -0500", " EDT", " -0400", " CST", " -0600", " CDT", " -0500", " MST", " -0700", " MDT", " -0600", " PST", " -0800", " PDT", " -0700",
		" CET", " +0100", " CEST", " +0200", " BST", " +0100", " JST", " +0900", " IST", " +0530", " (UTC)", "", " (Coordinated Universal Time)", "")
	ordinal = regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)\b`)
)

// ParseTime reads a time as people write it. One without a zone is UTC.
func ParseTime(s string) (time.Time, error) {
	text := ordinal.ReplaceAllString(strings.Join(strings.Fields(s), " "), "$1")
	text = fraction.ReplaceAllString(zoneNames.Replace(text), "$1")
	if strings.Contains(text, ":") {
		text = hours.ReplaceAllString(text, "${1}00")
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("a time is like 2026-12-01T09:00:00Z, not %q", s)
}

var dated = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:[-_.]|$)`)

// nameDate is the day that a file's name begins with, as Jekyll has it.
func nameDate(name string) string {
	m := dated.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	at, err := time.Parse("2006-1-2", m[1]+"-"+m[2]+"-"+m[3])
	if err != nil {
		return ""
	}
	return at.Format(time.DateOnly)
}

package field

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// longest is the longest duration that is taken: what is longer was meant otherwise.
const longest = 10 * 366 * 24 * time.Hour

var errDuration = errors.New("must be a time such as 30m, 12h, 2d or 1w")

// units are those of a duration. There are no months: they are not equally long.
var units = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// Duration reads a duration as people write it: 30m, 12h, 1d12h, 2w.
func Duration(s string) (d time.Duration, err error) {
	if s == "" {
		return 0, errDuration
	}
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n == 0 || n > 9 || n == len(s) || units[s[n]] == 0 {
			return 0, errDuration
		}
		count, err := strconv.Atoi(s[:n])
		if err != nil || time.Duration(count) > longest/units[s[n]] {
			return 0, errDuration
		}
		if d += time.Duration(count) * units[s[n]]; d > longest {
			return 0, errDuration
		}
		s = s[n+1:]
	}
	return d, nil
}

package field

import "strings"

// HasControl reports a C0 or C1 control character that is not among allowed.
func HasControl(s, allowed string) bool {
	for i := range len(s) {
		if !suspect[s[i]] {
			continue
		}
		c := s[i]
		if c != c1Lead && strings.IndexByte(allowed, c) < 0 {
			return true
		}
		if c == c1Lead && i+1 < len(s) && s[i+1] < 0xa0 && allowed == "" {
			return true
		}
	}
	return false
}

// c1Lead is the first of the two bytes of a C1 control character in UTF-8.
const c1Lead = 0xc2

// suspect are the bytes that a control character can begin with.
var suspect = func() (set [256]bool) {
	for c := range 0x20 {
		set[c] = true
	}
	set[0x7f], set[c1Lead] = true, true
	return set
}()

package dsn

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// field is one line of a group, with the lines that continue it.
type field struct{ name, value string }

// lines are the fields of a group.
func lines(group string) (all []field) {
	for line := range strings.SplitSeq(group, "\n") {
		if n := len(all); n > 0 && strings.HasPrefix(line, " ") || n > 0 && strings.HasPrefix(line, "\t") {
			all[n-1].value += " " + strings.TrimSpace(line)
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			all = append(all, field{strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)})
		}
	}
	return all
}

// groups are blocks of fields between empty lines, by the fields' names in lower
// case. Of a field that is repeated the first counts.
func groups(b []byte) (all []map[string]string) {
	text := strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n")
	for block := range strings.SplitSeq(text, "\n\n") {
		fields := map[string]string{}
		for _, f := range lines(block) {
			if _, has := fields[f.name]; !has {
				fields[f.name] = f.value
			}
		}
		if len(fields) > 0 {
			all = append(all, fields)
		}
	}
	return all
}

// repeated are the values of all fields of a name.
func repeated(b []byte, name string) (values []string) {
	for _, f := range lines(strings.ReplaceAll(string(b), "\r\n", "\n")) {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// comment is a remark in parentheses (RFC 5322 section 3.2.2), not nested.
var comment = regexp.MustCompile(`\([^()]*\)`)

func uncommented(s string) string { return strings.TrimSpace(comment.ReplaceAllString(s, "")) }

// word is a keyword in lower case.
func word(s string) string { return strings.ToLower(uncommented(s)) }

var enhanced = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}`)

// code is the enhanced code that a field begins with, "" for none.
func code(s string) string { return enhanced.FindString(uncommented(s)) }

// afterType is what follows the type of a typed field, such as smtp; 550 no.
func afterType(s string) string {
	if _, value, ok := strings.Cut(s, ";"); ok {
		return strings.TrimSpace(value)
	}
	return s
}

// address is that of a field such as rfc822; <ada@example.com>. It may be something
// else: some servers name a box of their own.
func address(s string) string {
	kind, value, typed := strings.Cut(s, ";")
	if !typed {
		kind, value = "", s
	}
	value = strings.Trim(uncommented(value), "<> \t")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "rfc822":
		value = plus.ReplaceAllStringFunc(value, func(x string) string { return character(x[1:], x) })
	case "utf-8":
		value = braced.ReplaceAllStringFunc(value, func(x string) string { return character(x[3:len(x)-1], x) })
	}
	return value
}

// The forms in which addresses have characters that a field cannot: xtext (RFC 3461
// section 4) and that of RFC 6533 section 3.
var (
	plus   = regexp.MustCompile(`\+[0-9A-F]{2}`)
	braced = regexp.MustCompile(`\\x\{[0-9A-Fa-f]{2,6}\}`)
)

// character is the one with a number in hex, else what was there.
func character(hex, otherwise string) string {
	n, err := strconv.ParseUint(hex, 16, 32)
	if r := rune(n); err == nil && n >= ' ' && n != 0x7f && utf8.ValidRune(r) {
		return string(r)
	}
	return otherwise
}

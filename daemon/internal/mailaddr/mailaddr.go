// Package mailaddr says which e-mail addresses are taken and when two are one. No
// other code compares addresses.
package mailaddr

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Bounds of RFC 5321 section 4.5.3.1, in bytes.
const (
	maxAddress = 254
	maxLocal   = 64
	maxLabel   = 63
)

// Address is one that mail can be sent to.
type Address struct {
	Typed string // as its owner writes it: to write to it
	Key   string // the same for every spelling of it: to find it
}

// Local is the part before the @, as it is typed.
func (a Address) Local() string { return a.Typed[:strings.LastIndexByte(a.Typed, '@')] }

// Domain is the part behind the @, in ASCII and lower case.
func (a Address) Domain() string { return a.Key[strings.LastIndexByte(a.Key, '@')+1:] }

// ASCII reports whether every relay can take the address: a domain in another script
// is written in ASCII, a local part is not.
func (a Address) ASCII() bool {
	return !strings.ContainsFunc(a.Local(), func(r rune) bool { return r > unicode.MaxASCII })
}

// Wire is the address as it is given to a relay: what was typed, with a domain that
// DNS knows.
func (a Address) Wire() string { return a.Local() + "@" + a.Domain() }

// Why an address is not taken, as words behind the name of the member that held it.
var (
	errNone    = errors.New("must be an e-mail address such as ada@example.com")
	errSpace   = errors.New("has a space or an invisible character in it")
	errLong    = errors.New("is longer than an e-mail address can be")
	errLocal   = errors.New("has characters before the @ that mail is not sent to")
	errDomain  = errors.New("has no domain behind the @ that mail could be sent to")
	errLiteral = errors.New("names a number in place of a domain")
	errOneName = errors.New("has a domain of one word; mail needs one such as example.com")
)

// lookup maps a domain as browsers and mail programs do before they ask DNS for it:
// IDNA 2008, in which ß is not ss.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(true), idna.CheckJoiners(true),
	idna.StrictDomainName(true), idna.ValidateLabels(true))

// Parse reads an address: a dot-atom of any script before the last @ and a domain of
// at least two labels behind it. Blanks around it are dropped. Quoted local parts,
// comments, address literals and display names are not taken: nobody types them for
// the address of a person. The key is the local part in lower case and composed
// (NFC), not folded, with the domain in ASCII; + and dots are part of it.
func Parse(s string) (Address, error) {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != '\r' && r != '\n' })
	if strings.ContainsFunc(s, hidden) {
		return Address{}, errSpace
	}
	at := strings.LastIndexByte(s, '@')
	switch {
	case at < 0 || s == "@":
		return Address{}, errNone
	case len(s) > maxAddress || at > maxLocal:
		return Address{}, errLong
	case !dotAtom(s[:at]): // before it is composed: a character may become another
		return Address{}, errLocal
	}
	s = norm.NFC.String(s)
	at = strings.LastIndexByte(s, '@')
	local := s[:at]
	domain, err := domainOf(s[at+1:])
	if err != nil {
		return Address{}, err
	}
	key := strings.ToLower(local) + "@" + domain
	if len(key) > maxAddress {
		return Address{}, errLong
	}
	return Address{Typed: s, Key: key}, nil
}

// Key is the key of an address, "" for what is not one.
func Key(s string) string {
	a, err := Parse(s)
	if err != nil {
		return ""
	}
	return a.Key
}

// hidden are characters that nobody sees, or that end a header.
func hidden(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsGraphic(r)
}

// dotAtom reports atoms with single dots between them (RFC 5322 section 3.2.3, with
// the letters of RFC 6532).
func dotAtom(s string) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return r <= unicode.MaxASCII && !atext(r) }) {
			return false
		}
	}
	return true
}

func atext(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

// domainOf is a domain as DNS knows it.
func domainOf(s string) (string, error) {
	if strings.HasPrefix(s, "[") {
		return "", errLiteral
	}
	ascii, err := lookup.ToASCII(s)
	if err != nil {
		return "", errDomain
	}
	labels := strings.Split(ascii, ".")
	for _, label := range labels {
		if label == "" || len(label) > maxLabel {
			return "", errDomain
		}
	}
	last := labels[len(labels)-1]
	switch {
	case strings.Trim(last, "0123456789") == "":
		return "", errLiteral
	case len(labels) == 1:
		return "", errOneName
	}
	return ascii, nil
}

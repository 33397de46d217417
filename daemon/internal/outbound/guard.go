package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// RefusedError says that an address may not be reached.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

func refuse(format string, args ...any) error {
	return &RefusedError{Reason: fmt.Sprintf(format, args...)}
}

// publicServices are addresses that look public and are the host's own: the
// metadata and configuration services of clouds.
var publicServices = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// guard decides about addresses.
type guard struct {
	allow  []netip.Prefix
	public *ssrf.Guardian
}

func newGuard(allow []netip.Prefix) *guard {
	return &guard{allow: allow, public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(publicServices...))}
}

// control is asked by the dialer about each address before it connects.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return refuse("%s is not a network for requests", network)
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("%s is not an address", address)
	}
	return g.check(at)
}

func (g *guard) check(at netip.AddrPort) error {
	addr := at.Addr().WithZone("")
	for _, p := range g.allow {
		if p.Contains(addr) || p.Contains(addr.Unmap()) {
			return nil
		}
	}
	if err := g.public.SafeAddr(addr); err != nil {
		return refuse("%s is not a public address", addr)
	}
	if !allowedPort(at.Port()) {
		return refuse("port %d is not allowed; 80, 443 and those from 1024 are", at.Port())
	}
	return nil
}

func allowedPort(port uint16) bool { return port == 80 || port == 443 || port >= 1024 }

// Check reads an address and refuses, with a *RefusedError, what can be told
// without asking a resolver. Do looks again when it connects.
func (c *Client) Check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, refuse("this is not a URL")
	}
	return u, c.guard.checkURL(u)
}

func (g *guard) checkURL(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("the scheme must be http or https")
	case u.Opaque != "" || host == "":
		return refuse("the URL names no host")
	case u.User != nil:
		return refuse("a user name or password in the URL is not allowed")
	case strings.ContainsAny(host, " \t\r\n{}%") && !strings.Contains(host, ":"):
		return refuse("the host is not a name")
	}
	port, err := portOf(u)
	if err != nil {
		return err
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.check(netip.AddrPortFrom(addr, port))
	}
	return g.checkName(host, port)
}

func portOf(u *url.URL) (uint16, error) {
	text := u.Port()
	switch {
	case text == "" && u.Scheme == "http":
		return 80, nil
	case text == "":
		return 443, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, refuse("port %s is none", text)
	}
	return uint16(n), nil
}

// checkName refuses names that can be no public host, and the spellings of
// addresses that some resolvers take for numbers.
func (g *guard) checkName(host string, port uint16) error {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case numeric(last):
		return refuse("%s is a number, not a name; write an address as 192.0.2.1 or [2001:db8::1]", host)
	case len(g.allow) > 0:
		return nil // names of the developer's machine lead to the opened ranges
	case name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasSuffix(name, ".internal") || strings.HasSuffix(name, ".local"):
		return refuse("%s is not a public name", host)
	case !allowedPort(port):
		return refuse("port %d is not allowed; 80, 443 and those from 1024 are", port)
	}
	return nil
}

// numeric reports what inet_aton reads as a part of an address: decimal, octal
// or hexadecimal. No top-level domain is like that.
func numeric(label string) bool {
	if label == "" {
		return true
	}
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		label = rest
		return strings.Trim(label, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

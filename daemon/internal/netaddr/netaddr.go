// Package netaddr reads client addresses and says what counts as one client.
// Every limit "per address" counts what Network returns.
package netaddr

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Network is what counts as one client: an IPv4 address, or the /64 of an IPv6
// address, which is the least that one customer gets. Whatever is not an address
// is the zero Prefix, so that all such clients share one limit.
func Network(address string) netip.Prefix { return Within(address, 32, 64) }

// Within is the network of an address with that many bits, v4 for IPv4 (mapped
// into IPv6 or not) and v6 for IPv6. The zone of an address does not count.
func Within(address string, v4, v6 int) netip.Prefix {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	return within(canonical(a), v4, v6)
}

func within(a netip.Addr, v4, v6 int) netip.Prefix {
	bits := v6
	if a.Is4() {
		bits = v4
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// canonical is the one form of an address: IPv4 is not mapped, and no zone says
// on which of our interfaces it came.
func canonical(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Of is the address of a connection's end, the zero Addr where it has none.
func Of(end net.Addr) netip.Addr {
	if tcp, ok := end.(*net.TCPAddr); ok {
		return canonical(tcp.AddrPort().Addr())
	}
	a, err := netip.ParseAddrPort(end.String())
	if err != nil {
		return netip.Addr{}
	}
	return canonical(a.Addr())
}

// NetworkOf is the Network of a connection's end.
func NetworkOf(end net.Addr) netip.Prefix { return within(Of(end), 32, 64) }

// Parse reads an address as proxies write it: with or without a port, and IPv6
// with or without brackets.
func Parse(text string) (netip.Addr, error) {
	if bare, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(bare, "]") {
		text = strings.TrimSuffix(bare, "]")
		if !strings.Contains(text, ":") {
			return netip.Addr{}, fmt.Errorf("%q is not an IPv6 address", text)
		}
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return canonical(a), nil
	}
	withPort, err := netip.ParseAddrPort(text)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("%q is not an address", text)
	}
	return canonical(withPort.Addr()), nil
}

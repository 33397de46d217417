package netaddr_test

import (
	"net"
	"net/netip"
	"testing"

	"edgesvc.dev/svc/daemon/internal/netaddr"
)

func TestNetwork(t *testing.T) {
	for _, row := range []struct{ address, network, wide string }{
		{"203.0.113.9", "203.0.113.9/32", "203.0.113.0/24"},
		{"::ffff:203.0.113.9", "203.0.113.9/32", "203.0.113.0/24"},
		{"2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"2001:0DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/64", "fe80::/48"},
		{"::1", "::/64", "::/48"},
	} {
		if got := netaddr.Network(row.address).String(); got != row.network {
			t.Errorf("network of %s: %s, want %s", row.address, got, row.network)
		}
		if got := netaddr.Within(row.address, 24, 48).String(); got != row.wide {
			t.Errorf("network of 24 or 48 bits of %s: %s, want %s", row.address, got, row.wide)
		}
	}
	for _, text := range []string{"", "localhost", "203.0.113.9:80", "\xff", "203.0.113.09", "1.2.3", "2001:db8::/64"} {
		if got := netaddr.Network(text); got != (netip.Prefix{}) {
			t.Errorf("%q has the network %s", text, got)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"203.0.113.9":            "203.0.113.9",
		"203.0.113.9:40001":      "203.0.113.9",
		"2001:db8::1":            "2001:db8::1",
		"[2001:db8::1]":          "2001:db8::1",
		"[2001:db8::1]:40001":    "2001:db8::1",
		"[fe80::1%eth0]:40001":   "fe80::1",
		"::ffff:203.0.113.9":     "203.0.113.9",
		"[::ffff:203.0.113.9]:1": "203.0.113.9",
	} {
		if got, err := netaddr.Parse(text); err != nil || got.String() != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "unknown", "_hidden", "203.0.113.9:", "203.0.113.9:99999", "[203.0.113.9]", "[2001:db8::1", "2001:db8::1]",
		"\xff", "203.0.113.9\xff", "203.0.113.9 ", "1.2.3.4, 5.6.7.8", "0x7f.1", "[]", "[]:80"} {
		if got, err := netaddr.Parse(text); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestOf(t *testing.T) {
	for _, end := range []net.Addr{
		&net.TCPAddr{IP: net.ParseIP("203.0.113.9"), Port: 80}, // sixteen bytes long
		net.TCPAddrFromAddrPort(netip.MustParseAddrPort("203.0.113.9:80")),
		net.UDPAddrFromAddrPort(netip.MustParseAddrPort("203.0.113.9:80")),
	} {
		if got := netaddr.Of(end).String(); got != "203.0.113.9" {
			t.Errorf("%s %s: %s", end.Network(), end, got)
		}
		if got := netaddr.NetworkOf(end).String(); got != "203.0.113.9/32" {
			t.Errorf("%s %s: %s", end.Network(), end, got)
		}
	}
	if got := netaddr.NetworkOf(&net.UnixAddr{Name: "/run/svcd.sock"}); got != (netip.Prefix{}) {
		t.Error(got)
	}
}

package webhook

import (
	"fmt"
	"net/netip"
	"syscall"
)

// forbidden lists the addresses that no webhook reaches. A tenant who may name
// any URL must not be able to ask the machine's cloud for the machine's
// credentials. Loopback and private networks are not listed: a shop's own
// services live there.
var forbidden = []struct {
	what     string
	prefixes []netip.Prefix
}{
	{metadata, prefixes(
		"169.254.169.0/24",       // AWS, Azure, Google, Oracle, OpenStack and most others
		"169.254.170.0/24",       // AWS, credentials of containers
		"fd00:ec2::/32",          // AWS over IPv6
		"fd20:ce::254/128",       // Google over IPv6
		"fd00:c1::a9fe:a9fe/128", // Oracle over IPv6
		"fe80::a9fe:a9fe/128",    // OpenStack over IPv6
		"192.0.0.192/32",         // Oracle, older
		"100.100.100.200/32",     // Alibaba
		"168.63.129.16/32",       // Azure, the host's agent
	)},
	{linkLocal, prefixes("169.254.0.0/16", "fe80::/10")},
	{"multicast", prefixes("224.0.0.0/4", "ff00::/8")},
	{"unspecified", prefixes("0.0.0.0/8", "::/128")}, // systems take them for loopback
	{"broadcast", prefixes("255.255.255.255/32")},
}

const (
	metadata  = "cloud metadata"
	linkLocal = "link-local"
)

func prefixes(list ...string) []netip.Prefix {
	ps := make([]netip.Prefix, len(list))
	for i, s := range list {
		ps[i] = netip.MustParsePrefix(s)
	}
	return ps
}

// guard returns a check for net.Dialer.Control. It is called when a name has been
// resolved and the socket made, with the very address that would be connected to
// next, so that no answer of a name server gets past it.
func guard(allowLinkLocal bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("webhooks reach IP addresses only: %w", err)
		}
		what := forbiddenKind(ap.Addr())
		if what == "" || what == linkLocal && allowLinkLocal {
			return nil
		}
		return fmt.Errorf("webhooks may not reach %s addresses", what)
	}
}

// forbiddenKind returns what a is, if it is forbidden, else "".
func forbiddenKind(a netip.Addr) string {
	a = embedded(a.WithZone("").Unmap())
	for _, f := range forbidden {
		for _, p := range f.prefixes {
			if p.Contains(a) {
				return f.what
			}
		}
	}
	return ""
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixToFour = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// embedded returns the IPv4 address that a gateway would make of a, else a.
func embedded(a netip.Addr) netip.Addr {
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

package webhook_test

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

func TestForbiddenAddresses(t *testing.T) {
	for address, want := range map[string]string{
		// Where services live.
		"127.0.0.1":          "",
		"127.255.255.254":    "",
		"::1":                "",
		"10.0.0.1":           "",
		"172.16.0.1":         "",
		"192.168.1.1":        "",
		"100.64.0.1":         "",
		"fd12:3456::1":       "",
		"93.184.216.34":      "",
		"2606:2800:220:1::1": "",
		"::ffff:127.0.0.1":   "",
		"64:ff9b::5db8:d822": "", // 93.184.216.34 through NAT64
		"2002:5db8:d822::1":  "", // 93.184.216.34 through 6to4
		"169.253.255.255":    "",
		"169.255.0.0":        "",
		"fe7f:ffff::1":       "",
		"fec0::1":            "",
		"223.255.255.255":    "",
		"240.0.0.1":          "",
		"255.255.255.254":    "",
		"1.0.0.0":            "",
		"100.100.100.199":    "",
		"fd00:ec1:ffff::1":   "",

		"169.254.169.254":        "cloud metadata",
		"169.254.170.2":          "cloud metadata",
		"169.254.170.23":         "cloud metadata",
		"::ffff:169.254.169.254": "cloud metadata",
		"::ffff:a9fe:a9fe":       "cloud metadata",
		"64:ff9b::a9fe:a9fe":     "cloud metadata",
		"2002:a9fe:a9fe::":       "cloud metadata",
		"fd00:ec2::254":          "cloud metadata",
		"fd00:ec2::23":           "cloud metadata",
		"fd20:ce::254":           "cloud metadata",
		"fd00:c1::a9fe:a9fe":     "cloud metadata",
		"fe80::a9fe:a9fe%eth0":   "cloud metadata",
		"100.100.100.200":        "cloud metadata",
		"::ffff:100.100.100.200": "cloud metadata",
		"192.0.0.192":            "cloud metadata",
		"168.63.129.16":          "cloud metadata",
		"169.254.0.0":            "link-local",
		"169.254.255.255":        "link-local",
		"::ffff:169.254.1.1":     "link-local",
		"fe80::1":                "link-local",
		"fe80::1%eth0":           "link-local",
		"febf:ffff::1":           "link-local",
		"224.0.0.1":              "multicast",
		"239.255.255.255":        "multicast",
		"ff00::":                 "multicast",
		"ff02::1%eth0":           "multicast",
		"0.0.0.0":                "unspecified",
		"0.255.255.255":          "unspecified",
		"::":                     "unspecified",
		"::ffff:0.0.0.0":         "unspecified",
		"255.255.255.255":        "broadcast",
		"::ffff:255.255.255.255": "broadcast",
	} {
		if got := webhook.ForbiddenKind(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

func TestAllowLinkLocalAllowsNothingElse(t *testing.T) {
	allowed := webhook.Guard(true)
	for address, ok := range map[string]bool{
		"169.254.1.1:80": true, "[fe80::1%eth0]:80": true, "127.0.0.1:80": true,
		"169.254.169.254:80": false, "[fe80::a9fe:a9fe%eth0]:80": false, "224.0.0.1:80": false, "0.0.0.0:80": false,
		"/run/socket": false, "name:80": false,
	} {
		if err := allowed("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v, want allowed = %v", address, err, ok)
		}
	}
}

func TestGuardRefusesLiterals(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "169.254.169.254:8080", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
		"100.100.100.200", "0.0.0.0:1", "224.0.0.1", "255.255.255.255",
	} {
		o := newDeliverer(t, webhook.Options{}).Push(t.Context(), leaseFor("http://"+host+"/latest/meta-data/"), nil)
		if o.Verdict != task.Failed || !strings.Contains(o.Error, "webhooks may not reach") {
			t.Errorf("%s: outcome %+v, want refused by the guard", host, o)
		}
	}
}

// TestGuardSeesWhatNamesResolveTo: an innocent name, and a name server that
// gives it the address of the metadata service.
func TestGuardSeesWhatNamesResolveTo(t *testing.T) {
	d := newDeliverer(t, webhook.Options{})
	d.ResolveWith(webhook.Options{}, resolvingTo(netip.MustParseAddr("169.254.169.254")))
	o := d.Push(t.Context(), leaseFor("http://shop.test/"), nil)
	want := "no answer: dial tcp 169.254.169.254:80: webhooks may not reach cloud metadata addresses"
	if o != (task.Outcome{Verdict: task.Failed, Error: want}) {
		t.Errorf("outcome %+v, want %q", o, want)
	}
}

// TestNamesOfServicesNearbyWork is the counterpart: the guard lets pass what is
// allowed. It also shows that the proxy which TestMain sets is not used: it would
// be for names, and would resolve them behind the guard's back.
func TestNamesOfServicesNearbyWork(t *testing.T) {
	receiver, got := recording(t)
	d := newDeliverer(t, webhook.Options{})
	d.ResolveWith(webhook.Options{}, resolvingTo(netip.MustParseAddr("127.0.0.1")))
	host := "shop.test:" + port(t, receiver.URL)
	if o := d.Push(t.Context(), leaseFor("http://"+host+"/"), nil); o.Verdict != task.Succeeded {
		t.Fatalf("outcome %+v, want success", o)
	}
	if r := <-got; r.host != host {
		t.Errorf("host %q, want %q", r.host, host)
	}
}

// TestNameThatDoesNotResolve keeps the reason.
func TestNameThatDoesNotResolve(t *testing.T) {
	d := newDeliverer(t, webhook.Options{})
	d.ResolveWith(webhook.Options{}, &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: net.UnknownNetworkError("none")}
	}})
	o := d.Push(t.Context(), leaseFor("http://shop.test/"), nil)
	if o.Verdict != task.Failed || !strings.Contains(o.Error, "lookup shop.test") {
		t.Errorf("outcome %+v, want a failure that names shop.test", o)
	}
}

func port(t *testing.T, rawURL string) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

package daemon

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhoMayBeListenedTo(t *testing.T) {
	for _, c := range []struct {
		name string
		c    Config
		ok   bool
	}{
		{"loopback", Config{Listen: "127.0.0.1:7390"}, true},
		{"all of 127/8", Config{Listen: "127.3.2.1:7390"}, true},
		{"loopback, IPv6", Config{Listen: "[::1]:7390"}, true},
		{"loopback, IPv4 in IPv6", Config{Listen: "[::ffff:127.0.0.1]:7390"}, true},
		{"localhost", Config{Listen: "localhost:7390"}, true},
		{"all addresses", Config{Listen: "0.0.0.0:7390"}, false},
		{"all addresses, by no name", Config{Listen: ":7390"}, false},
		{"all addresses, IPv6", Config{Listen: "[::]:7390"}, false},
		{"a private address", Config{Listen: "10.1.2.3:7390"}, false},
		{"a name that nobody has", Config{Listen: "no-such-host.invalid:7390"}, false},
		{"all addresses, with a token", Config{Listen: "0.0.0.0:7390", Token: "secret"}, true},
		{"all addresses, told otherwise", Config{Listen: "0.0.0.0:7390", InsecureNoAuth: true}, true},
	} {
		err := c.c.allowed(t.Context())
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		var exposed *ExposedError
		if !c.ok && (!errors.As(err, &exposed) || !strings.Contains(err.Error(), "--token-file") || !strings.Contains(err.Error(), c.c.Listen)) {
			t.Errorf("%s: the error does not say what to do: %v", c.name, err)
		}
	}
}

func TestAPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	data := filepath.Join(t.TempDir(), "data")
	err = Run(t.Context(), Config{Listen: taken.Addr().String(), Data: data}, nil)
	if err == nil || !strings.Contains(err.Error(), taken.Addr().String()+" is in use") || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the data folder was made all the same: %v", err)
	}
}

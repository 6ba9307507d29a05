package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// ExposedError says that an address which others can reach was asked for
// without saying who may call.
type ExposedError struct{ Listen string }

// Error says what the choices are.
func (e *ExposedError) Error() string {
	return fmt.Sprintf("listening on %s without a token would let anybody who reaches it read, change and run tasks: "+
		"set one with --token-file or TIMEWHEEL_TOKEN, listen on 127.0.0.1, or, if something in front decides who may call, say --insecure-no-auth", e.Listen)
}

// allowed refuses an address beyond this machine unless callers have to show a
// token or the user said otherwise.
func (c Config) allowed(ctx context.Context) error {
	if c.Token != "" || c.InsecureNoAuth || isLoopback(ctx, c.Listen) {
		return nil
	}
	return &ExposedError{Listen: c.Listen}
}

// isLoopback reports whether all addresses that listen stands for are on this
// machine alone. A host that can't be resolved is not.
func isLoopback(ctx context.Context, listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "" {
		return false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, ip := range ips {
		if !ip.Unmap().IsLoopback() {
			return false
		}
	}
	return err == nil && len(ips) > 0
}

// listen opens the port.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("address %s is in use: another daemon may run already; stop it, or choose another address with --listen", address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("address %s may not be listened on by this user: choose a port above 1023 with --listen", address)
	case err != nil:
		return nil, fmt.Errorf("can't listen: %w: choose another address with --listen", err)
	}
	return l, nil
}

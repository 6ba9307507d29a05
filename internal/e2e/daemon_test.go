package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// binary is timewheel, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	if text := os.Getenv(fastVariable); text != "" {
		fmt.Fprintln(os.Stderr, runFast(text))
		os.Exit(1)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "timewheel-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "timewheel")
	build := exec.Command("go", "build", "-o", binary, "./cmd/timewheel")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building timewheel: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// root is the top of the module.
var root = filepath.Join("..", "..")

// daemon is a running timewheel serve.
type daemon struct {
	t    *testing.T
	addr string
	data string
	cmd  *exec.Cmd
	log  bytes.Buffer
	*client.Client
}

// start runs a daemon on a free port and an empty folder; it ends with the test.
func start(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, addr: freeAddr(t), data: filepath.Join(t.TempDir(), "data")}
	c, err := client.New("http://"+d.addr, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Client = c
	d.serve()
	t.Cleanup(func() {
		d.kill()
		c.Close()
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", d.log.String())
		}
	})
	return d
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// serve starts the process and waits until it answers.
func (d *daemon) serve() {
	d.t.Helper()
	d.cmd = exec.Command(binary, "serve", "--listen", d.addr, "--data", d.data)
	d.cmd.Stderr = &d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for d.Ready(ctx) != nil {
		if ctx.Err() != nil {
			d.t.Fatalf("the daemon does not answer:\n%s", d.log.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// kill ends the process as a power cut would: at once.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	_ = d.cmd.Wait()         // "signal: killed" is no news
}

// pending returns how many tasks of a queue are not finished.
func (d *daemon) pending(queue string) int64 {
	d.t.Helper()
	q, err := d.Queue(context.Background(), queue)
	if err != nil {
		d.t.Fatal(err)
	}
	return q.Counts.Scheduled + q.Counts.Ready + q.Counts.Leased
}

package pebblestore_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// holdEnv makes this test binary a process that holds the store in the folder
// that it names, until it is killed.
const holdEnv = "PEBBLESTORE_TEST_HOLD"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holdEnv); folder != "" {
		if _, err := pebblestore.Open(folder, pebblestore.Options{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("open")
		select {}
	}
	os.Exit(m.Run())
}

// hold starts another process that has the store open, and returns it.
func hold(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // fails if it is dead already
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd
}

// A second process is told who has the store: process, host and since when.
// When that one is killed the store is free.
func TestSecondProcess(t *testing.T) {
	folder := t.TempDir()
	other := hold(t, folder)
	_, err := pebblestore.Open(folder, pebblestore.Options{})
	var locked *store.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("got %v, want a LockedError", err)
	}
	host, hostErr := os.Hostname()
	if hostErr != nil {
		t.Fatal(hostErr)
	}
	want := fmt.Sprintf("process %d on %s since 2", other.Process.Pid, host)
	if !strings.HasPrefix(locked.Owner, want) {
		t.Errorf("owner %q, want %q…", locked.Owner, want)
	}
	if !strings.Contains(err.Error(), folder) {
		t.Errorf("error %q does not name the folder", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err == nil {
		t.Fatal("the other process ended by itself")
	}
	if err := open(t, folder, pebblestore.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
}

// Within a process a folder is locked too, whatever it is called.
func TestSecondOpen(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder, pebblestore.Options{})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for _, name := range []string{folder, folder + "/", folder + "/../" + filepath.Base(folder), link, "."} {
		_, err := pebblestore.Open(name, pebblestore.Options{})
		var locked *store.LockedError
		if !errors.As(err, &locked) || !strings.Contains(locked.Owner, fmt.Sprintf("process %d ", os.Getpid())) {
			t.Errorf("%s: got %v, want a LockedError that names this process", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, link, pebblestore.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
}

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	start(t, Config{Data: dir})
	if _, err := os.ReadDir(filepath.Join(dir, "pebble")); err != nil {
		t.Error(err)
	}
}

// A folder with foreign files is refused as it is.
func TestAForeignFolderIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), Config{Listen: "127.0.0.1:0", Data: dir}, nil)
	if err == nil || !strings.Contains(err.Error(), "it holds letter.txt") {
		t.Errorf("got %v", err)
	}
	after, err := os.Stat(dir)
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the folder was changed at %v, before that at %v: %v", after.ModTime(), before.ModTime(), err)
	}
}

func TestAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		err := Run(t.Context(), Config{Listen: "127.0.0.1:0", Data: dir}, nil)
		if err == nil || !strings.Contains(err.Error(), "data folder "+dir+" can't be written") || !strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: got %v", dir, err)
		}
	}
}

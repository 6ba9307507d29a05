package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := prepareFolder(dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("the new folder holds %v, %v; want nothing", left, err)
	}
}

func TestAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		err := prepareFolder(dir)
		if err == nil || !strings.Contains(err.Error(), "data folder "+dir+" can't be written") || !strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: got %v", dir, err)
		}
	}
}

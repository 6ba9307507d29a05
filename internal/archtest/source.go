package archtest

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// file is what one source file says of what it needs.
type file struct {
	name    string // slash-separated, below the module's directory
	pkg     string // the package's path below the module's
	test    bool
	imports []importLine
	source  []byte
}

// importLine is one import, with the name it is given, if any.
type importLine struct {
	path, name string
	line       int
}

// readModule reads every Go file of the module in fsys, whatever system or
// build tag it is for. A directory with a go.mod of its own is another module.
func readModule(fsys fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && passOver(fsys, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		f, err := readFile(fsys, name)
		files = append(files, f)
		return err
	})
	return files, err
}

// passOver reports whether a directory holds no packages of the module, by the
// rules of the go command.
func passOver(fsys fs.FS, dir string) bool {
	switch base := path.Base(dir); {
	case base == "testdata", base == "vendor", base[0] == '.', base[0] == '_':
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return !errors.Is(err, fs.ErrNotExist)
}

func readFile(fsys fs.FS, name string) (file, error) {
	source, err := fs.ReadFile(fsys, name)
	if err != nil {
		return file{}, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, source, parser.ImportsOnly)
	if err != nil {
		return file{}, fmt.Errorf("cannot read the imports: %w", err)
	}
	f := file{name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), source: source}
	for _, spec := range tree.Imports {
		line := importLine{line: fset.Position(spec.Pos()).Line}
		if line.path, err = strconv.Unquote(spec.Path.Value); err != nil {
			return file{}, fmt.Errorf("%s:%d: %w", name, line.line, err)
		}
		if spec.Name != nil {
			line.name = spec.Name.Name
		}
		f.imports = append(f.imports, line)
	}
	return f, nil
}

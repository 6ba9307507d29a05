package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

const (
	serveName  = "serve"
	configFlag = "config"
)

// fileValues are the values of a configuration file by flag name.
type fileValues struct {
	name   string
	values map[string]fileValue
}

type fileValue struct {
	text string
	line int
}

func (f fileValues) get(flag string) (fileValue, bool) {
	v, ok := f.values[flag]
	return v, ok
}

// readFile reads the configuration file that --config or its variable names, if
// the command is serve.
func (ps *parser) readFile(ctx *kong.Context, getenv func(string) (string, bool)) error {
	cmd := ctx.Selected()
	if cmd == nil || cmd.Name != serveName || ps.file.name != "" { // kong asks once for every part of the line
		return nil
	}
	for _, f := range cmd.Flags {
		if f.Name != configFlag {
			continue
		}
		path, ok := ctx.FlagValue(f).(string)
		if !ok || path == "" {
			path, _ = getenv(variable(f))
		}
		if path == "" {
			return nil
		}
		values, err := ps.loadFile(path)
		ps.file = values
		return err
	}
	return nil
}

func (ps *parser) loadFile(path string) (fileValues, error) {
	f, err := os.Open(path)
	if err != nil {
		return fileValues{}, fmt.Errorf("configuration file: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	values, err := ps.parseFile(f)
	if err != nil {
		return fileValues{}, fmt.Errorf("configuration file %s: %w", path, err)
	}
	return fileValues{name: path, values: values}, nil
}

// parseFile reads a YAML mapping from flag names to plain values. It reports
// every fault with its line.
func (ps *parser) parseFile(r io.Reader) (map[string]fileValue, error) {
	var doc yaml.Node
	if err := yaml.NewDecoder(r).Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil // an empty file says nothing
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: must be a list of lines like %q", top.Line, "listen: 127.0.0.1:7390")
	}
	values := make(map[string]fileValue)
	var faults []string
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if fault := ps.keyFault(key, value, values); fault != "" {
			faults = append(faults, fmt.Sprintf("line %d: %s", key.Line, fault))
			continue
		}
		values[key.Value] = fileValue{text: value.Value, line: value.Line}
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	return values, nil
}

// keyFault says what is wrong with one line, or nothing.
func (ps *parser) keyFault(key, value *yaml.Node, seen map[string]fileValue) string {
	first, twice := seen[key.Value]
	switch {
	case ps.fileKeys[key.Value] == nil:
		return fmt.Sprintf("unknown key %q: use %s", key.Value, strings.Join(slices.Sorted(maps.Keys(ps.fileKeys)), ", "))
	case twice:
		return fmt.Sprintf("key %q stands in line %d already", key.Value, first.line)
	case value.Kind != yaml.ScalarNode || value.Tag == "!!null":
		return fmt.Sprintf("key %q must have one plain value", key.Value)
	}
	return ""
}

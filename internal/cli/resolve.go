package cli

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
)

// resolver gives flags that are not on the command line the value of their
// variable, else that of the configuration file. kong's own variables would
// come after the file.
type resolver struct {
	ps     *parser
	getenv func(string) (string, bool)
}

// Validate implements kong.Resolver.
func (resolver) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (r resolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if name := r.ps.env[flag.Value]; name != "" {
		if v, ok := r.getenv(name); ok {
			return r.checked(flag, v, "variable "+name)
		}
	}
	if v, ok := r.ps.file.get(flag.Name); ok && r.ps.fileKeys[flag.Name] == flag {
		return r.checked(flag, v.text, fmt.Sprintf("%s line %d", r.ps.file.name, v.line))
	}
	return nil, nil //nolint:nilnil // kong's way to say that there is no value
}

// checked tries whether the flag takes the value, so that the message can say
// where the value stands.
func (r resolver) checked(flag *kong.Flag, value, where string) (any, error) {
	scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: value})
	trial := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, trial); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if flag.Enum != "" && !flag.EnumMap()[value] {
		return nil, fmt.Errorf("%s: must be one of %s, got %q", where, flag.Enum, value)
	}
	return value, nil
}

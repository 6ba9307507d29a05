package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var referenceDir = filepath.Join("..", "..", "docs", "reference")

const cliHead = `# The command line

<!-- Written from the code: go generate ./internal/cli -->

` + "`timewheel <command>`" + ` talks to a daemon over HTTP; ` + "`timewheel serve`" + ` is one.

Results go to the standard output, as tables for people or, with ` + "`--json`" + `, as JSON: one document, or one per line where there
are many. Everything else goes to the standard error. Instants in tables are in UTC; where the clocks of a schedule's zone are
meant, the zone stands beside them. Lists are cut at the width of the terminal, or of ` + "`COLUMNS`" + `. Tasks, leases and queues have the fields of the [HTTP API](http-api.md).

| exit code | meaning |
|---|---|
| 0 | All went well. A daemon or worker that was told to stop ends with 0, too. |
| 1 | The command failed, or a part of what it was asked to do: a broken line of a file, a stale lease. |
| 2 | The command line, a variable or the configuration file is wrong, or the daemon refuses what they ask for: a webhook that is no http URL, a payload over the limit, an open address without a token. Nothing was done. |

Errors are one line that begins with ` + "`timewheel:`" + ` and says what to do.

## With every command

`

const configHead = `# Configuration

<!-- Written from the code: go generate ./internal/cli -->

What ` + "`timewheel serve`" + ` can be told, it can be told by a flag, by a variable, or by a key of a YAML file that ` + "`--config`" + ` or
` + "`TIMEWHEEL_CONFIG`" + ` names. They say the same things in the same words. **A flag wins over a variable, a variable over the
file, the file over the default.** An unknown key is an error that names its line.

` + "```yaml" + `
listen: 127.0.0.1:7390
data: /var/lib/timewheel
token-file: /etc/timewheel/token
drain-timeout: 1m
log-format: json
` + "```" + `

Durations are numbers with units, such as ` + "`30s`, `1m30s` or `48h`" + `. Sizes are bytes, or have a unit: ` + "`64KiB`, `1MiB`, `2GiB`" + `.

| key and flag | variable | default | |
|---|---|---|---|
`

const configTail = `
Variables for every other command are ` + "`TIMEWHEEL_ADDR`, `TIMEWHEEL_TOKEN`, `TIMEWHEEL_TOKEN_FILE` and `TIMEWHEEL_JSON`" + `; see
[the command line](cli.md). Flags of single tasks, such as ` + "`--queue` and `--key`" + `, have none: ` + "`timewheel worker`" + ` gives
` + "`TIMEWHEEL_QUEUE`, `TIMEWHEEL_KEY`" + ` and others to the commands that it runs, where they say what the task is.

## Whom a daemon answers

On a loopback address, the default, no token is needed; the daemon then answers only requests for ` + "`localhost`" + ` and loopback
addresses, so that no web page can reach it under a name of its own. On any other address it does not start without a token,
unless ` + "`insecure-no-auth`" + ` is set.
`

// TestReference holds docs/reference and the grammar together.
func TestReference(t *testing.T) {
	ps, err := newParser(process{getenv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, filepath.Join(referenceDir, "cli.md"), cliPage(ps))
	compare(t, filepath.Join(referenceDir, "config.md"), configPage(ps))
}

func cliPage(ps *parser) string {
	var page strings.Builder
	page.WriteString(cliHead)
	flagTable(&page, ps, ps.Model.Flags)
	for _, cmd := range ps.Model.Leaves(true) {
		fmt.Fprintf(&page, "\n## timewheel %s\n\n%s\n", cmd.Path(), cmd.Help)
		if cmd.Detail != "" {
			fmt.Fprintf(&page, "\n%s\n", cmd.Detail)
		}
		if len(cmd.Positional) > 0 {
			page.WriteString("\n| argument | |\n|---|---|\n")
			for _, p := range cmd.Positional {
				fmt.Fprintf(&page, "| `%s` | %s |\n", p.Summary(), cell(p.Help))
			}
		}
		if len(cmd.Flags) > 0 {
			page.WriteString("\n")
			flagTable(&page, ps, cmd.Flags)
		}
	}
	return page.String()
}

func flagTable(page *strings.Builder, ps *parser, flags []*kong.Flag) {
	page.WriteString("| flag | |\n|---|---|\n")
	for _, f := range flags {
		fmt.Fprintf(page, "| `%s` | %s |\n", strings.TrimPrefix(f.String(), "-h, "), cell(ps.describe(f.Value)))
	}
}

func configPage(ps *parser) string {
	var page strings.Builder
	page.WriteString(configHead)
	for _, cmd := range ps.Model.Children {
		if cmd.Name != serveName {
			continue
		}
		for _, f := range append(ps.Model.Flags, cmd.Flags...) {
			if ps.fileKeys[f.Name] == f {
				fmt.Fprintf(&page, "| `%s` | `%s` | %s | %s |\n", f.Name, ps.env[f.Value], code(f.Default), cell(f.Help))
			}
		}
	}
	return page.String() + configTail
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// cell keeps a text in its cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

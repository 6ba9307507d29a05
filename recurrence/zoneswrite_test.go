package recurrence

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// `make zones` sets it, after an upgrade of Go. Plain tests must not fail when
// a newer Go knows a newer release, so the file is no output of `make generate`.
var writeZones = flag.Bool("write-zones", false, "write zones.bin from the zone data of the Go installation")

func TestWriteZones(t *testing.T) {
	source, version := installedZones(t)
	file, err := encodeZones(version, source)
	if err != nil {
		t.Fatal(err)
	}
	if *writeZones {
		if err := os.WriteFile("zones.bin", file, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Logf("wrote %d bytes, release %s; build again to embed them", len(file), version)
		return
	}
	if version != ZoneVersion() {
		t.Skipf("zones.bin is of release %s, this Go has %s: `make zones` would take it over", ZoneVersion(), version)
	}
	if string(file) != string(embeddedZones) {
		t.Error("zones.bin is not what its encoder writes: run `make zones`")
	}
}

// installedZones returns the TZif files of this Go installation by their names,
// and their release.
func installedZones(t *testing.T) (files map[string][]byte, version string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no Go installation to compare with: %v", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "lib", "time")
	script, err := os.ReadFile(filepath.Join(dir, "update.bash"))
	if err != nil {
		t.Skipf("this Go installation has no zone data: %v", err)
	}
	found := regexp.MustCompile(`(?m)^DATA=(\w+)$`).FindSubmatch(script)
	if found == nil {
		t.Fatalf("%s/update.bash names no release", dir)
	}
	archive, err := zip.OpenReader(filepath.Join(dir, "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files = map[string][]byte{}
	for _, f := range archive.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		files[f.Name] = unzip(t, f)
	}
	return files, string(found[1])
}

func unzip(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// encodeZones writes what zoneTable reads. Names with the same record share it.
func encodeZones(version string, source map[string][]byte) ([]byte, error) {
	if len(version) > versionSize {
		return nil, fmt.Errorf("release %q: longer than %d bytes", version, versionSize)
	}
	names := slices.Sorted(maps.Keys(source))
	var index, ends, text, records []byte
	places := map[string]int{}
	for _, name := range names {
		zone, err := parseTZif(source[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		record := string(zone.encode())
		place, known := places[record]
		if !known {
			place = len(places)
			places[record] = place
			records = append(records, record...)
			ends = binary.LittleEndian.AppendUint32(ends, uint32(len(records)))
		}
		text = append(text, name...)
		index = binary.LittleEndian.AppendUint16(index, uint16(len(text)))
		index = binary.LittleEndian.AppendUint16(index, uint16(place))
	}
	if len(text) > 0xffff {
		return nil, fmt.Errorf("%d bytes of names: an entry holds 16 bits", len(text))
	}
	head := append([]byte(zoneMagic), version...)
	head = append(head, make([]byte, versionSize-len(version))...)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(names)))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(places)))
	return slices.Concat(head, index, ends, text, records), nil
}

// zoneFacts is what a TZif file says.
type zoneFacts struct {
	abbreviations, rule []byte
	kinds               []zoneKind
	transitions         []zoneTransition
}

type zoneKind struct {
	Offset       int32
	DST          uint8
	Abbreviation uint8
}

type zoneTransition struct {
	at   int64 // Unix seconds
	kind uint8
}

func (z zoneFacts) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(z.abbreviations)))
	b = append(b, z.abbreviations...)
	b = binary.AppendUvarint(b, uint64(len(z.rule)))
	b = append(b, z.rule...)
	b = binary.AppendUvarint(b, uint64(len(z.kinds)))
	for _, k := range z.kinds {
		b = binary.AppendVarint(b, int64(k.Offset))
		b = append(b, k.DST, k.Abbreviation)
	}
	b = binary.AppendUvarint(b, uint64(len(z.transitions)))
	last := int64(zonesBegin)
	for _, t := range z.transitions {
		step := uint64(t.at-last)*2 + 1
		if (t.at-last)%3600 == 0 {
			step = uint64(t.at-last) / 3600 * 2
		}
		b = binary.AppendUvarint(b, step)
		b = append(b, t.kind)
		last = t.at
	}
	return b
}

// tzifCounts is the part of a TZif header behind magic and version.
type tzifCounts struct {
	_                                                [15]byte
	UTC, Standard, Leaps, Transitions, Kinds, Length uint32
}

// parseTZif reads the second part of a TZif file of version 2 or later.
func parseTZif(file []byte) (zoneFacts, error) {
	r := bytes.NewReader(file)
	first, err := readCounts(r)
	if err != nil {
		return zoneFacts{}, err
	}
	skip := 5*first.Transitions + 6*first.Kinds + first.Length + 8*first.Leaps + first.Standard + first.UTC
	if _, err := r.Seek(int64(skip), io.SeekCurrent); err != nil {
		return zoneFacts{}, err
	}
	counts, err := readCounts(r)
	if err != nil {
		return zoneFacts{}, err
	}
	if counts.Leaps != 0 {
		return zoneFacts{}, errors.New("has leap seconds, which zones.bin has no place for")
	}
	instants, began := make([]int64, counts.Transitions), make([]uint8, counts.Transitions)
	z := zoneFacts{kinds: make([]zoneKind, counts.Kinds), abbreviations: make([]byte, counts.Length)}
	marks := make([]byte, counts.Standard+counts.UTC)
	for _, part := range []any{instants, began, z.kinds, z.abbreviations, marks} {
		if err := binary.Read(r, binary.BigEndian, part); err != nil {
			return zoneFacts{}, err
		}
	}
	rest, err := io.ReadAll(r)
	z.rule = bytes.Trim(rest, "\n")
	last := int64(zonesBegin)
	for i, at := range instants {
		if at < last {
			return zoneFacts{}, fmt.Errorf("transition at %d: before %d", at, last)
		}
		z.transitions = append(z.transitions, zoneTransition{at, began[i]})
		last = at
	}
	return z, err
}

func readCounts(r io.Reader) (c tzifCounts, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return c, err
	}
	if string(head[:4]) != "TZif" || head[4] < '2' {
		return c, fmt.Errorf("%q begins no TZif file of version 2", head)
	}
	err = binary.Read(r, binary.BigEndian, &c)
	return c, err
}

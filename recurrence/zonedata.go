package recurrence

import (
	_ "embed" // zones.bin
	"encoding/binary"
	"sort"
)

// embeddedZones is what `make zones` wrote.
//
//go:embed zones.bin
var embeddedZones zoneTable

// zoneTable is the file zones.bin: every zone of one release of the IANA time
// zone database, in a form of our own in which one zone is found and decoded
// without a look at the others. Numbers are little-endian:
//
//	"twz1"                     the format
//	8 bytes                    the release, "2025c", filled up with zeros
//	u16 names, u16 zones       how many there are
//	names × (u16 end, u16 zone)   sorted by name; where the name ends in the
//	                              text, and which record is its zone's
//	zones × u32 end            where the record ends in the records
//	text                       the names, one after another
//	records                    see zoneRecord
//
// The file is ours, so nothing here is on its guard against a broken one: the
// tests read every byte of it.
type zoneTable string

const (
	zoneMagic     = "twz1"
	zoneHeader    = len(zoneMagic) + versionSize + 4
	versionSize   = 8
	nameEntrySize = 4
	zoneEntrySize = 4
)

func (t zoneTable) version() string {
	v := t[len(zoneMagic):][:versionSize]
	for len(v) > 0 && v[len(v)-1] == 0 {
		v = v[:len(v)-1]
	}
	return string(v)
}

func (t zoneTable) names() int { return t.u16(zoneHeader - 4) }

func (t zoneTable) zones() int { return t.u16(zoneHeader - 2) }

// name returns the name at place i.
func (t zoneTable) name(i int) string {
	text := t.zoneEntry(t.zones())
	return string(t[text+t.nameEnd(i-1) : text+t.nameEnd(i)])
}

// find returns the record of the zone with this name.
func (t zoneTable) find(name string) (zoneRecord, bool) {
	i := sort.Search(t.names(), func(i int) bool { return t.name(i) >= name })
	if i == t.names() || t.name(i) != name {
		return "", false
	}
	zone := t.u16(t.nameEntry(i) + 2)
	records := t.zoneEntry(t.zones()) + t.nameEnd(t.names()-1)
	return zoneRecord(t[records+t.recordEnd(zone-1) : records+t.recordEnd(zone)]), true
}

func (t zoneTable) nameEntry(i int) int { return zoneHeader + i*nameEntrySize }

func (t zoneTable) zoneEntry(i int) int { return t.nameEntry(t.names()) + i*zoneEntrySize }

// nameEnd returns where name i ends in the text; what is before the first ends
// at 0.
func (t zoneTable) nameEnd(i int) int {
	if i < 0 {
		return 0
	}
	return t.u16(t.nameEntry(i))
}

func (t zoneTable) recordEnd(i int) int {
	if i < 0 {
		return 0
	}
	at := t.zoneEntry(i)
	return t.u16(at) | t.u16(at+2)<<16
}

func (t zoneTable) u16(at int) int { return int(t[at]) | int(t[at+1])<<8 }

// zoneRecord is one zone: its kinds of local time, when which of them began, and
// the rule that holds after the last such instant. Numbers are varints.
//
//	uvarint length, bytes      the abbreviations, each with a zero after it
//	uvarint length, bytes      the rule, in the notation of POSIX's TZ; or none
//	uvarint                    how many kinds of local time
//	each: (varint offset, dst, abbreviation)   seconds east of UTC; 0 or 1;
//	                           where the abbreviation begins
//	uvarint                    how many transitions
//	each: (uvarint step, kind)   the time since the one before, the first
//	                           since zonesBegin, and what begins then
//
// A step is hours·2, or seconds·2 + 1 if it is no whole number of hours. dst,
// abbreviation and kind take a byte each. The first kind holds before all
// transitions, unless one of them begins it: then it is as package time says.
type zoneRecord string

// zonesBegin is 1800-01-01, before any zone had a law, in Unix seconds.
const zonesBegin = -5_364_662_400

// tzif returns the zone in the format of RFC 9636, version 2, which package
// time reads.
func (r zoneRecord) tzif() []byte {
	abbreviations := r.take(r.number())
	rule := r.take(r.number())
	kindCount := r.number()
	kinds := make([]byte, 0, 6*kindCount)
	for range kindCount {
		kinds = binary.BigEndian.AppendUint32(kinds, uint32(r.signed()))
		kinds = append(kinds, r.take(2)...)
	}
	count := r.number()
	instants, began := make([]byte, 0, 8*count), make([]byte, 0, count)
	for at := int64(zonesBegin); count > len(began); {
		at += r.step()
		instants = binary.BigEndian.AppendUint64(instants, uint64(at))
		began = append(began, r.take(1)...)
	}

	image := make([]byte, 0, 2*tzifHeader+9*count+len(kinds)+len(abbreviations)+len(rule)+2)
	image = appendTZifHeader(image, 0, 0, 0) // version 1's part, which may be empty
	image = appendTZifHeader(image, count, kindCount, len(abbreviations))
	image = append(image, instants...)
	image = append(image, began...)
	image = append(image, kinds...)
	image = append(image, abbreviations...)
	image = append(image, '\n')
	image = append(image, rule...)
	return append(image, '\n')
}

const tzifHeader = 44

func appendTZifHeader(image []byte, transitions, kinds, abbreviations int) []byte {
	image = append(image, "TZif2"...)
	image = append(image, make([]byte, 15+3*4)...) // reserved; no leap seconds, no marks of how a rule was worded
	for _, n := range []int{transitions, kinds, abbreviations} {
		image = binary.BigEndian.AppendUint32(image, uint32(n))
	}
	return image
}

func (r *zoneRecord) step() int64 {
	n := int64(r.number())
	if n&1 == 0 {
		return n / 2 * 3600
	}
	return n / 2
}

// number takes an unsigned varint off the front.
func (r *zoneRecord) number() int {
	n := 0
	for shift := 0; ; shift += 7 {
		b := (*r)[0]
		*r = (*r)[1:]
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// signed takes a varint off the front whose lowest bit is its sign.
func (r *zoneRecord) signed() int {
	n := r.number()
	return n>>1 ^ -(n & 1)
}

// take takes n bytes off the front.
func (r *zoneRecord) take(n int) zoneRecord {
	front := (*r)[:n]
	*r = (*r)[n:]
	return front
}

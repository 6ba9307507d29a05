package recurrence

// fieldKind is what one of the seven fields of a cron expression may say.
type fieldKind struct {
	name     string   // for messages; also part of what H hashes
	min, max int      // the values
	names    []string // of the values, from min on
}

var (
	secondField = &fieldKind{name: "second", min: 0, max: 59}
	minuteField = &fieldKind{name: "minute", min: 0, max: 59}
	hourField   = &fieldKind{name: "hour", min: 0, max: 23}
	dayField    = &fieldKind{name: "day of month", min: 1, max: 31}
	monthField  = &fieldKind{name: "month", min: 1, max: 12, names: []string{
		"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
	}}
	weekdayField = &fieldKind{name: "day of week", min: 0, max: 6, names: []string{
		"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT",
	}}
	yearField = &fieldKind{name: "year", min: minYear, max: maxYear}
)

// fieldKinds are the fields in the order of an expression that has all seven.
var fieldKinds = [7]*fieldKind{secondField, minuteField, hourField, dayField, monthField, weekdayField, yearField}

// field is one field of a cron expression, read.
type field struct {
	text     string    // as written; what it stands for if the expression leaves it out: "0" or "*"
	given    bool      // whether the expression has it
	pos      int       // where it is in the expression
	set      uint64    // the plain values, bit v for v; of years, nothing
	star     bool      // written *, ? or */1, perhaps among others: unrestricted
	repeats  bool      // written with a * or a step
	elements []element // as listed
}

// element is one entry of a field's list. Days of the week are 0 for Sunday to 6,
// however they were written.
type element struct {
	form   form
	from   int  // first value; the n of L-n; the day of nW; the weekday of d#n and dL
	to     int  // last value; of days of the week past 6 where the range wraps: 8 is Monday
	step   int  // at least 1
	nth    int  // the n of d#n
	hashed bool // written with H: from, to and step are what came of it
}

// form is a way to write an element.
type form uint8

const (
	formAll            form = iota // *, ?, */n: from, to, step
	formValue                      // n: from = to
	formRange                      // a-b, a-b/n, a/n: from, to, step
	formLast                       // day of month L, L-n: from days before the last
	formLastWorkday                // day of month LW: the last Monday to Friday
	formNearestWorkday             // day of month nW: the Monday to Friday nearest to from
	formNth                        // day of week d#n: the nth weekday from of the month
	formLastOf                     // day of week dL: the last weekday from of the month
)

// plain returns whether an element stands for values that are the same every month.
func (f form) plain() bool { return f <= formRange }

// add puts an element into the field.
func (f *field) add(kind *fieldKind, e element) {
	f.elements = append(f.elements, e)
	if !e.form.plain() {
		return
	}
	f.star = f.star || e.form == formAll && e.step == 1
	f.repeats = f.repeats || e.form == formAll || e.step > 1
	if kind == yearField {
		return
	}
	for v := e.from; v <= e.to; v += e.step {
		f.set |= 1 << (kind.min + (v-kind.min)%(kind.max-kind.min+1))
	}
}

// years returns the field's years, bit y-minYear for y; nil for all.
func (f *field) years() []uint64 {
	if f.star {
		return nil
	}
	set := make([]uint64, (maxYear-minYear)/64+1)
	for _, e := range f.elements {
		for y := e.from - minYear; y <= e.to-minYear; y += e.step {
			set[y/64] |= 1 << (y % 64)
		}
	}
	return set
}

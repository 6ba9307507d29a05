package recurrence

import "strings"

// macros are other names of expressions.
var macros = map[string]string{
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
	"@monthly":  "0 0 1 * *",
	"@weekly":   "0 0 * * 0",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@hourly":   "0 * * * *",
}

// cron reads what is left of an expression when its time zone is known.
func (p *parser) cron(body word) (*CronRule, error) {
	fields, err := p.split(body)
	if err != nil {
		return nil, err
	}
	r := &CronRule{expr: p.expr, loc: p.zone, days: p.days}
	if r.loc == nil {
		r.loc = utc
	}
	for i, to := range r.fields() {
		if fields[i].text == "" {
			*to = omitted(fieldKinds[i])
			continue
		}
		reader := fieldReader{kind: fieldKinds[i], expr: p.expr, key: p.key, quartz: p.days == DaysQuartz}
		if *to, err = reader.read(fields[i]); err != nil {
			return nil, err
		}
	}
	if err := p.setDays(r); err != nil {
		return nil, err
	}
	r.setPolicies(p.gap, p.fold)
	r.setCalendar()
	return r, p.checkNever(r)
}

// split returns the seven fields; those that the expression leaves out are empty.
func (p *parser) split(body word) (fields [7]word, err error) {
	all := body.words()
	if strings.HasPrefix(body.text, "@") {
		if all, err = p.macro(all); err != nil {
			return fields, err
		}
	}
	switch len(all) {
	case 5:
		copy(fields[1:], all)
	case 6, 7:
		copy(fields[:], all)
	default:
		return fields, p.fail("", body, "the number of fields is %d; allowed are 5, minute hour day-of-month month day-of-week; 6, with the second first; and 7, with the year last", len(all))
	}
	return fields, nil
}

// macro returns the fields that a macro stands for. All are where the macro is.
func (p *parser) macro(all []word) ([]word, error) {
	name := all[0]
	stands, ok := macros[strings.ToLower(name.text)]
	switch {
	case strings.EqualFold(name.text, "@reboot"):
		return nil, p.fail("", name, "when a machine starts is no time on the calendar; run it from what starts the machine")
	case strings.EqualFold(name.text, "@every"), strings.EqualFold(name.text, "@at"):
		return nil, p.fail("", name, "this is no cron expression; intervals and instants are written elsewhere")
	case !ok:
		return nil, p.fail("", name, "allowed are @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly")
	case len(all) > 1:
		return nil, p.fail("", all[1], "nothing can follow %s", name.text)
	}
	var fields []word
	for text := range strings.FieldsSeq(stands) {
		fields = append(fields, word{text, name.pos})
	}
	return fields, nil
}

// omitted is a field that an expression leaves out: second 0, every year.
func omitted(kind *fieldKind) field {
	if kind == secondField {
		return field{text: "0", set: 1, elements: []element{{form: formValue, step: 1}}}
	}
	f := field{text: "*"}
	f.add(kind, element{form: formAll, from: kind.min, to: kind.max, step: 1})
	return f
}

// setDays decides how the day fields work together.
func (p *parser) setDays(r *CronRule) error {
	marks := 0
	for _, f := range []*field{&r.day, &r.weekday} {
		if f.text == "?" {
			marks++
		}
	}
	if r.days == DaysDefault {
		r.days = DaysOr
		if marks > 0 {
			r.days = DaysQuartz
		}
	}
	if r.days == DaysQuartz && marks != 1 {
		return p.fail(weekdayField.name, word{r.weekday.text, r.weekday.pos},
			"by Quartz's rule exactly one of day of month and day of week must be ?; here %s", [3]string{"none is", "", "both are"}[marks])
	}
	return nil
}

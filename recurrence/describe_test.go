package recurrence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// The words before an expression are its zone and policies; its key is "report".
func TestDescribeParsed(t *testing.T) {
	for _, tt := range []struct{ choices, expr, want string }{
		{"UTC", "* * * * *", "every minute, in UTC"},
		{"UTC", "*/15 * * * *", "every 15 minutes, in UTC"},
		{"UTC", "*/15 8-17 * * *", "every 15 minutes from 08:00 to 17:45 every day, in UTC"},
		{"UTC", "7-59/15 * * * *", "every 15 minutes, at minutes 7, 22, 37 and 52, in UTC"},
		{"UTC", "*/7 * * * *", "at minutes 0, 7 and so on to 56 of every hour, in UTC"},
		{"UTC", "0,30 * * * *", "every 30 minutes, in UTC"},
		{"UTC", "0,30 9-17 * * *", "every 30 minutes from 09:00 to 17:30 every day, in UTC"},
		{"UTC", "0-29 9 * * *", "at minutes 0 to 29 of hour 09 every day, in UTC"},
		{"UTC", "*/5 9 * * *", "every 5 minutes from 09:00 to 09:55 every day, in UTC"},
		{"UTC", "*/5 */2 * * *", "every 5 minutes of hours 00, 02 and so on to 22 every day, in UTC"},
		{"UTC", "5,10,20 1,2,3,9,13 * * *", "at minutes 5, 10 and 20 of hours 01 to 03, 09 and 13 every day, in UTC"},
		{"UTC", "0 * * * *", "every hour, in UTC"},
		{"UTC", "5 * * * *", "every hour at minute 5, in UTC"},
		{"UTC", "0 9-17 * * *", "every hour from 09:00 to 17:00 every day, in UTC"},
		{"UTC", "30 */2 * * *", "every 2 hours from 00:30 to 22:30 every day, in UTC"},
		{"UTC", "0 */6 * * *", "at 00:00, 06:00, 12:00 and 18:00 every day, in UTC"},
		{"UTC", "0 9 * * *", "at 09:00 every day, in UTC"},
		{"UTC", "30 9,17 * * *", "at 09:30 and 17:30 every day, in UTC"},
		{"UTC", "0 0-4,6,9,23 * * *", "at minute 0 of hours 00 to 04, 06, 09 and 23 every day, in UTC"},
		{"Europe/Berlin", "0 9 * * *", "at 09:00 every day, in Europe/Berlin; when clocks go forward over it: at the first moment after; when they go back over it: at the first pass"},
		{"Europe/Berlin", "0 9 * * 1-5", "at 09:00 on Monday to Friday, in Europe/Berlin; when clocks go forward over it: at the first moment after; when they go back over it: at the first pass"},
		{"Europe/Berlin skip", "0 9 * * MON,WED,FRI", "at 09:00 on Monday, Wednesday and Friday, in Europe/Berlin; when clocks go forward over it: not at all; when they go back over it: at the first pass"},
		{"Europe/Berlin second", "30 2 * * SUN", "at 02:30 on Sunday, in Europe/Berlin; when clocks go forward over it: at the first moment after; when they go back over it: at the second pass"},
		{"Europe/Berlin both skip", "30 2 * * SUN", "at 02:30 on Sunday, in Europe/Berlin; when clocks go forward over it: not at all; when they go back over it: at both passes"},
		{"Europe/Berlin", "0 * * * *", "every hour, in Europe/Berlin; when clocks change it keeps to every real hour"},
		{"Europe/Berlin skip second", "0 * * * *", "every hour, in Europe/Berlin; when clocks go forward over it: not at all; when they go back over it: at the second pass"},
		{"Europe/Berlin", "*/10 * * * *", "every 10 minutes, in Europe/Berlin; when clocks change it follows them and keeps its steps"},
		{"Asia/Shanghai", "0 9 * * *", "at 09:00 every day, in Asia/Shanghai"},
		{"Australia/Lord_Howe", "15 2 * * *", "at 02:15 every day, in Australia/Lord_Howe; when clocks go forward over it: at the first moment after; when they go back over it: at the first pass"},
		{"UTC", "0 0 1 * *", "at 00:00 on the 1st of the month, in UTC"},
		{"UTC", "0 0 1,15 * *", "at 00:00 on the 1st and 15th of the month, in UTC"},
		{"UTC", "0 0 1-7 * *", "at 00:00 on the 1st to 7th of the month, in UTC"},
		{"UTC", "0 0 */2 * *", "at 00:00 on the 1st, 3rd and so on to 31st of the month, in UTC"},
		{"UTC", "0 0 1 1 *", "at 00:00 on the 1st of January, in UTC"},
		{"UTC", "0 0 1 1,7 *", "at 00:00 on the 1st of January and July, in UTC"},
		{"UTC", "0 0 1 */2 *", "at 00:00 on the 1st of January, March and so on to November, in UTC"},
		{"UTC", "0 0 1 3-5 *", "at 00:00 on the 1st of March to May, in UTC"},
		{"UTC", "0 0 * 6-8 *", "at 00:00 every day of June to August, in UTC"},
		{"UTC", "*/15 * * 12 *", "every 15 minutes in December, in UTC"},
		{"UTC", "0 0 29 2 *", "at 00:00 on the 29th of February, in UTC"},
		{"UTC", "0 12 L * *", "at 12:00 on the last day of the month, in UTC"},
		{"UTC", "0 12 L-3 * *", "at 12:00 on the last day but 3 of the month, in UTC"},
		{"UTC", "0 12 L-1 * *", "at 12:00 on the last day but 1 of the month, in UTC"},
		{"UTC", "0 12 LW * *", "at 12:00 on the last workday (Monday to Friday) of the month, in UTC"},
		{"UTC", "0 12 15W * *", "at 12:00 on the workday (Monday to Friday) nearest to the 15th of the month, in UTC"},
		{"UTC", "0 12 1W,L 3 *", "at 12:00 on the workday (Monday to Friday) nearest to the 1st, and the last day of March, in UTC"},
		{"UTC", "0 12 1,15,L * *", "at 12:00 on the 1st and 15th, and the last day of the month, in UTC"},
		{"UTC", "0 12 * * 5L", "at 12:00 on the last Friday of the month, in UTC"},
		{"UTC", "0 12 * * FRI#2", "at 12:00 on the second Friday of the month, in UTC"},
		{"UTC", "0 12 * * FRI#2,MON", "at 12:00 on Monday and the second Friday of the month, in UTC"},
		{"UTC", "0 12 * 3 THU#4", "at 12:00 on the fourth Thursday of March, in UTC"},
		{"UTC", "0 12 * 3 THU", "at 12:00 on Thursday in March, in UTC"},
		{"UTC", "0 12 * * FRI-MON", "at 12:00 on Monday and Friday to Sunday, in UTC"},
		{"UTC", "0 12 * * 0,6", "at 12:00 on Saturday and Sunday, in UTC"},
		{"UTC", "0 12 * * 2,4,6", "at 12:00 on Tuesday, Thursday and Saturday, in UTC"},
		{"UTC or", "0 0 13 * FRI", "at 00:00 on the 13th of the month, or on a Friday: either is enough, in UTC"},
		{"UTC and", "0 0 13 * FRI", "at 00:00 on the 13th of the month, and on a Friday: both must hold, in UTC"},
		{"UTC", "0 0 13 * FRI", "at 00:00 on the 13th of the month, or on a Friday: either is enough, in UTC"},
		{"UTC and", "0 0 1-7 * MON-FRI", "at 00:00 on the 1st to 7th of the month, and on Monday to Friday: both must hold, in UTC"},
		{"UTC", "0 0 13 1,7 FRI", "at 00:00 in January and July, on the 13th of the month, or on a Friday: either is enough, in UTC"},
		{"UTC", "0 0 L * FRIL", "at 00:00 on the last day of the month, or on the last Friday of the month: either is enough, in UTC"},
		{"UTC quartz", "0 0 12 ? * 2-6", "at 12:00 on Monday to Friday, in UTC"},
		{"UTC quartz", "0 0 12 15 * ?", "at 12:00 on the 15th of the month, in UTC"},
		{"UTC", "0 0 ? * 1", "at 00:00 on Monday, in UTC"},
		{"UTC", "* * * * * *", "every second, in UTC"},
		{"UTC", "*/10 * * * * *", "every 10 seconds, in UTC"},
		{"UTC", "5,10 * * * * *", "at seconds 5 and 10 of every minute, in UTC"},
		{"UTC", "30 * * * * *", "every minute, at second 30, in UTC"},
		{"UTC", "30 5 * * * *", "every hour at minute 5, at second 30, in UTC"},
		{"UTC", "30 0 9 * * *", "at 09:00:30 every day, in UTC"},
		{"UTC", "*/10 * 8-17 * * *", "every 10 seconds of hours 08 to 17 every day, in UTC"},
		{"UTC", "*/10 0-9 * * * *", "every 10 seconds of minutes 0 to 9 of every hour, in UTC"},
		{"UTC", "*/10 0-9 8-17 * * *", "every 10 seconds of minutes 0 to 9 of hours 08 to 17 every day, in UTC"},
		{"UTC", "0,15 0 9 * * *", "at seconds 0 and 15 of minute 0 of hour 09 every day, in UTC"},
		{"UTC", "15 */5 * * * *", "every 5 minutes, at second 15, in UTC"},
		{"UTC", "15 0 9-17 * * *", "every hour from 09:00:15 to 17:00:15 every day, in UTC"},
		{"UTC", "0 0 0 1 1 * 2027", "at 00:00 on the 1st of January, in 2027, in UTC"},
		{"UTC", "0 0 0 1 1 * 2027-2030", "at 00:00 on the 1st of January, in 2027 to 2030, in UTC"},
		{"UTC", "0 0 0 1 1 * 2027,2029,2040", "at 00:00 on the 1st of January, in 2027, 2029 and 2040, in UTC"},
		{"UTC", "0 0 0 1 1 * */4", "at 00:00 on the 1st of January, in 1970, 1974 and so on to 9998, in UTC"},
		{"UTC", "0 0 0 1 1 * 2030/10", "at 00:00 on the 1st of January, in 2030, 2040 and so on to 9990, in UTC"},
		{"UTC", "H 12 * * *", "at 12:05 every day, in UTC (what H stands for was chosen by the key)"},
		{"UTC", "H/15 * * * *", "every 15 minutes, at minutes 5, 20, 35 and 50, in UTC (what H stands for was chosen by the key)"},
		{"UTC", "H H(0-7) H * *", "at 06:05 on the 20th of the month, in UTC (what H stands for was chosen by the key)"},
		{"UTC", "@daily", "at 00:00 every day, in UTC"},
		{"UTC", "@hourly", "every hour, in UTC"},
		{"UTC", "@weekly", "at 00:00 on Sunday, in UTC"},
		{"UTC", "@every 90s", "every 1 minute 30 seconds, counted from 1970-01-01T00:00:00Z"},
		{"UTC", "@every 36h", "every 1 day 12 hours, counted from 1970-01-01T00:00:00Z"},
		{"UTC", "@every 1h", "every hour, counted from 1970-01-01T00:00:00Z"},
		{"UTC", "@at 2026-11-21T09:00:00Z", "at 2026-11-21T09:00:00Z"},
		{"UTC", "CRON_TZ=UTC 0 9 * * *", "at 09:00 every day, in UTC"},
		{"America/New_York", "*/30 2 * * *", "at 02:00 and 02:30 every day, in America/New_York; when clocks change it follows them and keeps its steps"},
		{"America/New_York", "0 2,3 * * *", "at 02:00 and 03:00 every day, in America/New_York; when clocks go forward over it: at the first moment after; when they go back over it: at the first pass"},
		{"UTC", "0,1,3,4,6,7,9,10,12,13,15,16,18,19,21,22,24,25,27,28,30,31,33,34,36,37,39,40 9 * * *", "at minutes 0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21 and 13 more of hour 09 every day, in UTC"},
		{"UTC", "0 0 0 1 1 * 1970-9999/2,1970-9999/3", "at 00:00 on the 1st of January, in 1970, 1972 to 1974, 1976, 1978 to 1980, 1982, 1984 to 1986, 1988, 1990 to 1992, 1994, 1996 to 1998, 2000, 2002 to 2004, 2006, 2008 to 2010, 2012 and 2662 more, in UTC"},
		{"UTC", "0 0 */2,L * *", "at 00:00 on the 1st, 3rd and so on to 31st, and the last day of the month, in UTC"},
		{"UTC", "0 9 * * SUN-SAT", "at 09:00 on Monday to Sunday, in UTC"},
		{"UTC", "0 9 1-31 * *", "at 09:00 on the 1st to 31st of the month, in UTC"},
	} {
		rule, err := recurrence.Parse(tt.expr, choices(tt.choices)...)
		if err != nil {
			t.Errorf("%s %s: %v", tt.choices, tt.expr, err)
			continue
		}
		if got := recurrence.Describe(rule); got != tt.want {
			t.Errorf("%s %s:\n%s, want\n%s", tt.choices, tt.expr, got, tt.want)
		}
	}
}

func choices(words string) []recurrence.Option {
	list := []recurrence.Option{recurrence.Key("report")}
	for w := range strings.FieldsSeq(words) {
		if rule, err := recurrence.ParseDayRule(w); err == nil {
			list = append(list, recurrence.OnDays(rule))
		} else if gap, err := recurrence.ParseGap(w); err == nil {
			list = append(list, recurrence.OnGap(gap))
		} else if fold, err := recurrence.ParseFold(w); err == nil {
			list = append(list, recurrence.OnFold(fold))
		} else {
			list = append(list, recurrence.In(mustZone(w)))
		}
	}
	return list
}

func TestDescribeBuilt(t *testing.T) {
	at := utc("2026-11-21T09:00:00Z")
	hourly := recurrence.Every(time.Hour, time.Time{})
	days, err := recurrence.ParseDays([]string{"sat", "12-24..01-01", "02-29", "2026-12-25", "2027-07-01..2027-07-14"})
	if err != nil {
		t.Fatal(err)
	}
	many, err := recurrence.ParseDays(strings.Fields("01-01 01-02 01-03 01-04 01-05 01-06 01-07 01-08 01-09 01-10"))
	if err != nil {
		t.Fatal(err)
	}
	times, err := recurrence.Times(hourly, at, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rule recurrence.Rule
		want string
	}{
		{hourly, "every hour, counted from 1970-01-01T00:00:00Z"},
		{recurrence.Every(25*time.Hour+1500*time.Millisecond, at), "every 1 day 1 hour 1 second 500 milliseconds, counted from 2026-11-21T09:00:00Z"},
		{recurrence.Every(10*time.Minute, at.In(mustZone("Asia/Tokyo"))), "every 10 minutes, counted from 2026-11-21T18:00:00+09:00"},
		{recurrence.At(), "never"},
		{recurrence.At(at), "at 2026-11-21T09:00:00Z"},
		{recurrence.At(at, at.Add(time.Hour)), "at 2026-11-21T09:00:00Z and 2026-11-21T10:00:00Z"},
		{recurrence.At(at, at.Add(1), at.Add(2), at.Add(3), at.Add(4)), "at 5 instants from 2026-11-21T09:00:00Z to 2026-11-21T09:00:00.000000004Z"},
		{recurrence.Union(), "never"},
		{recurrence.Union(hourly, recurrence.At(at)), "every hour, counted from 1970-01-01T00:00:00Z; and also at 2026-11-21T09:00:00Z"},
		{recurrence.Bound(hourly, at, time.Time{}), "every hour, counted from 1970-01-01T00:00:00Z; not before 2026-11-21T09:00:00Z"},
		{recurrence.Bound(hourly, at, at.Add(time.Hour)), "every hour, counted from 1970-01-01T00:00:00Z; not before 2026-11-21T09:00:00Z; before 2026-11-21T10:00:00Z"},
		{times, "every hour, counted from 1970-01-01T00:00:00Z; the first 3 times from 2026-11-21T09:00:00Z on"},
		{recurrence.Except(hourly, recurrence.Days{}, nil), "every hour, counted from 1970-01-01T00:00:00Z"},
		{
			recurrence.Except(hourly, days, mustZone("Asia/Tokyo")),
			"every hour, counted from 1970-01-01T00:00:00Z; except on Saturdays, 24 December to 1 January, 29 February, 2026-12-25 and 2027-07-01 to 2027-07-14, by the calendar of Asia/Tokyo",
		},
		{
			recurrence.Except(hourly, many, nil),
			"every hour, counted from 1970-01-01T00:00:00Z; except on 1 January, 2 January, 3 January, 4 January, 5 January, 6 January, 7 January and 3 other entries, by the calendar of UTC",
		},
		{named{}, "whenever it rains"},
		{stuckRule{}, "as a recurrence_test.stuckRule says"},
	} {
		if got := recurrence.Describe(tt.rule); got != tt.want {
			t.Errorf("described as\n%s, want\n%s", got, tt.want)
		}
	}
}

// named is a rule of somebody else.
type named struct{ stuckRule }

func (named) String() string { return "whenever it rains" }

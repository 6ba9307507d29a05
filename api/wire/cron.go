package wire

import "encoding/json"

// Cron is a list of cron expressions that stands as a plain string if there is
// one.
type Cron []string

// MarshalJSON writes a string or an array of strings.
func (c Cron) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return json.Marshal(c[0])
	}
	return json.Marshal([]string(c))
}

// UnmarshalJSON reads a string or an array of strings.
func (c *Cron) UnmarshalJSON(b []byte) error {
	var one string
	if len(b) > 0 && b[0] == '"' {
		err := json.Unmarshal(b, &one)
		*c = Cron{one}
		return err
	}
	return json.Unmarshal(b, (*[]string)(c))
}

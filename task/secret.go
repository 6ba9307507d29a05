package task

import (
	"encoding/base64"
	"strings"
)

// SecretPrefix begins every signing secret (Standard Webhooks 1.0).
const SecretPrefix = "whsec_"

// NewSecret writes 24 to 64 random bytes as a signing secret.
func NewSecret(random []byte) string {
	return SecretPrefix + base64.StdEncoding.EncodeToString(random)
}

func (f *faults) secret(s string) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, SecretPrefix))
	if !strings.HasPrefix(s, SecretPrefix) || err != nil || len(raw) < 24 || len(raw) > 64 {
		f.add("signing_secrets", `must be "whsec_" and 24 to 64 bytes in base64, as Standard Webhooks has it`)
	}
}

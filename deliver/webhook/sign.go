package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/timewheel-dev/timewheel/task"
)

// signatureVersion marks a symmetric signature: HMAC-SHA256.
const signatureVersion = "v1,"

// sign returns the value of webhook-signature: one signature for each secret,
// separated by spaces (Standard Webhooks 1.0.0, "Signature scheme"). What is
// signed is "id.timestamp.payload".
func sign(secrets []string, id, timestamp string, payload []byte) (string, error) {
	each := len(signatureVersion) + base64.StdEncoding.EncodedLen(sha256.Size)
	list := make([]byte, 0, len(secrets)*(each+1))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, task.SecretPrefix))
		if err != nil {
			// The error itself would quote a part of the secret.
			return "", fmt.Errorf("signing secret %d of the queue is not base64: set it anew", i+1)
		}
		if i > 0 {
			list = append(list, ' ')
		}
		list = append(list, signatureVersion...)
		list = base64.StdEncoding.AppendEncode(list, mac(key, id, timestamp, payload))
	}
	return string(list), nil
}

// mac feeds the parts to the hash one by one: the payload can be large, and is
// not to be copied.
func mac(key []byte, id, timestamp string, payload []byte) []byte {
	prefix := make([]byte, 0, 64)
	prefix = append(prefix, id...)
	prefix = append(prefix, '.')
	prefix = append(prefix, timestamp...)
	prefix = append(prefix, '.')
	h := hmac.New(sha256.New, key)
	h.Write(prefix) // a hash.Hash never returns an error
	h.Write(payload)
	return h.Sum(nil)
}

// Package tapedeck verifies Tapedeck's webhooks with Go's standard library alone (1.18 or newer).
//
// Give the raw bytes of the body: io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)). Each function gives the index of the
// secret that matched, or -1: answer 401 then.
package tapedeck

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

var (
	idPattern        = regexp.MustCompile(`^[!-\-/-~]+$`)
	timestampPattern = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,14})$`)
	entrySeparator   = regexp.MustCompile(`,? +`)
)

// VerifyFolder checks X-<Vendor>-Signature: sha256=<hex>.
func VerifyFolder(body []byte, header http.Header, secrets []string, vendor string) int {
	given := header.Get("X-" + vendor + "-Signature")
	return match(textKeys(secrets), "", body, []string{given}, func(digest []byte) []string {
		return []string{"sha256=" + hex.EncodeToString(digest)}
	})
}

// VerifyAudit checks X-Webhook-Signature: hex, sha256=<hex> or base64.
func VerifyAudit(body []byte, header http.Header, secrets []string) int {
	given := header.Get("X-Webhook-Signature")
	return match(textKeys(secrets), "", body, []string{given}, func(digest []byte) []string {
		inHex := hex.EncodeToString(digest)
		return []string{inHex, "sha256=" + inHex, base64.StdEncoding.EncodeToString(digest)}
	})
}

// VerifyStandard checks Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.
func VerifyStandard(body []byte, header http.Header, secrets []string, now time.Time) int {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if !idPattern.MatchString(id) || !timestampPattern.MatchString(timestamp) {
		return -1
	}
	var entries []string
	for _, entry := range entrySeparator.Split(header.Get("webhook-signature"), -1) {
		if strings.HasPrefix(entry, "v1,") {
			entries = append(entries, entry)
		}
	}
	if len(entries) > 16 {
		return -1
	}
	var keys [][]byte
	for _, secret := range secrets {
		keys = append(keys, whsecKey(secret))
	}
	index := match(keys, id+"."+timestamp+".", body, entries, func(digest []byte) []string {
		return []string{"v1," + base64.StdEncoding.EncodeToString(digest)}
	})
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := now.Unix() - seconds
	if err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return -1
	}
	return index
}

func textKeys(secrets []string) [][]byte {
	var keys [][]byte
	for _, secret := range secrets {
		keys = append(keys, []byte(secret))
	}
	return keys
}

func whsecKey(secret string) []byte {
	if !strings.HasPrefix(secret, "whsec_") {
		return []byte(secret)
	}
	text := strings.TrimRight(strings.TrimPrefix(secret, "whsec_"), "=")
	key, err := base64.RawStdEncoding.DecodeString(text)
	// The decoder passes over line breaks.
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	return key
}

// match compares everything, in constant time; it refuses an empty key, also where another one matches.
func match(keys [][]byte, prefix string, body []byte, given []string, spellings func([]byte) []string) int {
	for _, key := range keys {
		if len(key) == 0 {
			return -1
		}
	}
	found := -1
	for index, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(body)
		for _, expected := range spellings(mac.Sum(nil)) {
			for _, value := range given {
				if hmac.Equal([]byte(expected), []byte(value)) && found < 0 {
					found = index
				}
			}
		}
	}
	return found
}

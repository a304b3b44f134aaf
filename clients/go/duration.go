package tapedecktest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

var units = []struct {
	name string
	size time.Duration
}{{"d", day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}}

var (
	part  = regexp.MustCompile(`(\d+)\s*(ms|d|h|m|s)`)
	whole = regexp.MustCompile(`^\s*(?:(?:\d+)\s*(?:ms|d|h|m|s)\s*)+$`)
)

// parseDuration parses a duration as tests write it: "0", "1m", "2h 36m", "1d".
func parseDuration(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	if !whole.MatchString(text) {
		return 0, fmt.Errorf(`%q is not a duration: write "36m", "2h 36m" or "0"`, text)
	}
	var sum time.Duration
	for _, match := range part.FindAllStringSubmatch(text, -1) {
		count, err := strconv.ParseInt(match[1], 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: %w", text, err)
		}
		for _, unit := range units {
			if unit.name == match[2] {
				sum += time.Duration(count) * unit.size
			}
		}
	}
	return sum, nil
}

// durationText returns a duration as a test would write it.
func durationText(duration time.Duration) string {
	parts := []string{}
	for _, unit := range units {
		if count := duration / unit.size; count > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", count, unit.name))
			duration %= unit.size
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " ")
}

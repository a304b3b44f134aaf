package tapedecktest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Delivery is one webhook: its state and its attempts.
type Delivery struct {
	ID string
	// State is scheduled, attempting, waiting, delivered, permanently_failed, cancelled or skipped.
	State    string
	Attempts []Attempt
	t        testing.TB
}

// Attempt is one request of a delivery.
type Attempt struct {
	Attempt   int
	At        time.Time
	ElapsedMs int64 `json:"elapsed_ms"`
	Outcome   string
	// StatusCode is 0 without a response.
	StatusCode int `json:"status_code"`
}

// Outcomes returns the outcomes of the attempts, such as failure, timeout, success.
func (d Delivery) Outcomes() []string {
	outcomes := []string{}
	for _, attempt := range d.Attempts {
		outcomes = append(outcomes, attempt.Outcome)
	}
	return outcomes
}

// AssertAttemptsAt fails the test unless the attempts were made at exactly these times after the first: "0", "1m", "6m".
func (d Delivery) AssertAttemptsAt(elapsed ...string) {
	d.t.Helper()
	rows := []row{}
	for _, attempt := range d.Attempts {
		outcome := attempt.Outcome
		if attempt.StatusCode != 0 {
			outcome = fmt.Sprintf("%s %d", outcome, attempt.StatusCode)
		}
		rows = append(rows, row{time.Duration(attempt.ElapsedMs) * time.Millisecond, outcome})
	}
	assertTimes(d.t, "Delivery "+d.ID+": "+d.State, rows, elapsed)
}

// Sink is a receiver inside the emulator.
type Sink struct {
	ID string
	// URL is reached by deliveries of the sink's world only.
	URL      string
	Requests []SinkRequest
	t        testing.TB
}

// SinkRequest is a request that a sink has received.
type SinkRequest struct {
	At      time.Time
	Method  string
	Path    string
	Headers map[string]string
	Body    string
	// BodyBase64 has the bytes of the body.
	BodyBase64 []byte `json:"body_base64"`
	// Outcome is the response: a status, a text or an object.
	Outcome json.RawMessage
}

// AssertAttemptsAt fails the test unless each delivery to the sink made its requests at exactly these times after the first.
func (s Sink) AssertAttemptsAt(elapsed ...string) {
	s.t.Helper()
	order := []string{}
	deliveries := map[string][]row{}
	first := map[string]time.Time{}
	for _, request := range s.Requests {
		id := request.Headers["webhook-id"]
		if _, isKnown := first[id]; !isKnown {
			first[id] = request.At
			order = append(order, id)
		}
		deliveries[id] = append(deliveries[id], row{request.At.Sub(first[id]), string(request.Outcome)})
	}
	if len(order) == 0 {
		assertTimes(s.t, "Sink "+s.ID, nil, elapsed)
	}
	for _, id := range order {
		assertTimes(s.t, "Sink "+s.ID, deliveries[id], elapsed)
	}
}

type row struct {
	elapsed time.Duration
	outcome string
}

func assertTimes(t testing.TB, title string, made []row, expected []string) {
	t.Helper()
	isEqual := len(made) == len(expected)
	table := &strings.Builder{}
	for index := 0; index < len(made) || index < len(expected); index++ {
		want, got, outcome := "–", "–", ""
		if index < len(expected) {
			duration, err := parseDuration(expected[index])
			if err != nil {
				t.Fatal(err)
			}
			want = durationText(duration)
		}
		if index < len(made) {
			got, outcome = durationText(made[index].elapsed), made[index].outcome
		}
		mark := " "
		if want != got {
			mark, isEqual = "✗", false
		}
		fmt.Fprintf(table, "\n  %s %-9s %-9s %s", mark, want, got, outcome)
	}
	if !isEqual {
		t.Errorf("%s: the attempts are not as expected\n    %-9s %-9s %s%s", title, "expected", "elapsed", "outcome", table)
	}
}

// Package tapedecktest tests with the Tapedeck emulator: a world for each test, with a clock that the test moves.
//
//	world := tapedecktest.Start(t, tapedecktest.Options{Fixtures: fixtures})
//	world.AddToFolder("vip", recording)
//	world.Clock.Advance("14h 36m")
//	world.Delivery(tapedecktest.Filter{}).AssertAttemptsAt("0", "1m", "6m")
package tapedecktest

import (
	"net/url"
	"testing"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// Options is the start of a world. Omitted fields have the emulator's defaults.
type Options struct {
	// Fixtures is the start document: users, recordings, folders, sinks, automations.
	Fixtures Object `json:"fixtures,omitempty"`
	Config   Object `json:"config,omitempty"`
	// Now is the start instant, in ISO 8601.
	Now string `json:"now,omitempty"`
	// Seed is the seed of ids, tokens and secrets; 0 for the default.
	Seed int `json:"seed,omitempty"`
}

// World is an isolated copy of the service, with its own data, clock and receivers. Its methods end the test on an error.
type World struct {
	ID string `json:"world"`
	// URL is the base URL: the API is at URL + "/api/v2".
	URL        string `json:"base_url"`
	ControlURL string `json:"control_url"`
	// Tokens are access tokens by the e-mail address of their user.
	Tokens map[string]string `json:"tokens"`
	Clock  Clock             `json:"-"`
	t      testing.TB
}

// Start creates a world for the test, and deletes it when the test ends. It connects to the emulator of TAPEDECK_EMULATOR_URL; without
// it, the first call starts the command of TAPEDECK_EMULATOR, or tapedeck-emulator on the PATH, until the test process ends.
func Start(t testing.TB, options Options) *World {
	t.Helper()
	emulator, err := emulatorURL()
	if err != nil {
		t.Fatal(err)
	}
	world := &World{t: t}
	if err := call("POST", emulator+"/_emulator/worlds", options, world); err != nil {
		t.Fatal(err)
	}
	world.Clock = Clock{world}
	t.Cleanup(func() {
		if err := call("DELETE", world.ControlURL, nil, nil); err != nil {
			t.Error(err)
		}
	})
	return world
}

// Control calls the control plane, and reads the response into answer, unless that is nil. /openapi.json describes every call.
func (w *World) Control(method, path string, body, answer any) {
	w.t.Helper()
	if err := call(method, w.ControlURL+path, body, answer); err != nil {
		w.t.Fatal(err)
	}
}

// Load adds a fixture document, all of it or nothing. It returns what was made, with ids, tokens and secrets.
func (w *World) Load(fixtures Object) Object {
	w.t.Helper()
	made := Object{}
	w.Control("POST", "/fixtures", fixtures, &made)
	w.refresh()
	return made
}

// AddToFolder puts a recording into a folder, which triggers its automations. It returns the ids of the deliveries.
func (w *World) AddToFolder(folder, recording string) []string {
	w.t.Helper()
	var answer struct{ Deliveries []string }
	w.Control("POST", "/folders/"+url.PathEscape(folder)+"/recordings", Object{"recording": recording}, &answer)
	return answer.Deliveries
}

// Filter selects deliveries by the fields that are not empty.
type Filter struct{ State, Automation, Destination, Recording string }

// Deliveries returns the deliveries that match.
func (w *World) Deliveries(filter Filter) []Delivery {
	w.t.Helper()
	query := url.Values{}
	for name, value := range map[string]string{
		"state": filter.State, "automation": filter.Automation, "destination": filter.Destination, "recording": filter.Recording,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var answer struct{ Deliveries []Delivery }
	w.Control("GET", "/deliveries?"+query.Encode(), nil, &answer)
	for index := range answer.Deliveries {
		answer.Deliveries[index].t = w.t
	}
	return answer.Deliveries
}

// Delivery returns the only delivery that matches. The test ends if there is none, or more than one.
func (w *World) Delivery(filter Filter) Delivery {
	w.t.Helper()
	found := w.Deliveries(filter)
	if len(found) != 1 {
		w.t.Fatalf("expected one delivery with %+v, and there are %d", filter, len(found))
	}
	return found[0]
}

// CreateSink creates a receiver inside the emulator, which gives these responses, such as 500, "timeout", 200. The last one repeats.
func (w *World) CreateSink(respond ...any) Sink {
	w.t.Helper()
	sink := Sink{t: w.t}
	w.Control("POST", "/sinks", Object{"respond": respond}, &sink)
	return sink
}

// Sink returns a sink with the requests that it has received.
func (w *World) Sink(id string) Sink {
	w.t.Helper()
	sink := Sink{t: w.t}
	w.Control("GET", "/sinks/"+url.PathEscape(id), nil, &sink)
	return sink
}

// Reset returns the world to its start.
func (w *World) Reset() {
	w.t.Helper()
	w.Control("POST", "/reset", nil, nil)
	w.refresh()
}

func (w *World) refresh() {
	w.t.Helper()
	var state World
	w.Control("GET", "", nil, &state)
	w.Tokens = state.Tokens
}

// Clock is the world's clock. It stands still until a test moves it, and a move returns when all that fell due has happened.
type Clock struct{ world *World }

// Event is something that happens at an instant: an attempt, a step of a transcript, a mail.
type Event struct {
	At   time.Time
	Kind string
	ID   string
	// Attempt counts from 1; 0 for events that are not attempts.
	Attempt   int
	ElapsedMs int64 `json:"elapsed_ms"`
	Outcome   string
}

// Now returns the world's time.
func (c Clock) Now() time.Time {
	c.world.t.Helper()
	var state struct{ Now time.Time }
	c.world.Control("GET", "/clock", nil, &state)
	return state.Now
}

// Pending returns the future events, in the order in which they will fire.
func (c Clock) Pending() []Event {
	c.world.t.Helper()
	var state struct{ Pending []Event }
	c.world.Control("GET", "/clock", nil, &state)
	return state.Pending
}

// Advance moves the clock by a duration, such as "14h 36m". It returns the events that fired.
func (c Clock) Advance(by string) []Event {
	c.world.t.Helper()
	duration, err := parseDuration(by)
	if err != nil {
		c.world.t.Fatal(err)
	}
	return c.move(Object{"by": duration.Milliseconds()})
}

// AdvanceTo moves the clock to an instant.
func (c Clock) AdvanceTo(instant time.Time) []Event {
	c.world.t.Helper()
	return c.move(Object{"to": instant.UTC().Format("2006-01-02T15:04:05.000Z")})
}

// Next moves the clock to the next instant at which anything is due.
func (c Clock) Next() []Event {
	c.world.t.Helper()
	return c.move(Object{"next": true})
}

// UntilIdle moves the clock until nothing is pending.
func (c Clock) UntilIdle() []Event {
	c.world.t.Helper()
	return c.move(Object{"until": "idle"})
}

func (c Clock) move(move Object) []Event {
	c.world.t.Helper()
	var answer struct{ Fired []Event }
	c.world.Control("POST", "/clock/advance", move, &answer)
	return answer.Fired
}

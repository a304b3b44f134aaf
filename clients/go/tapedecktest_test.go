package tapedecktest

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"

func start(t *testing.T) *World {
	return Start(t, Options{
		Now: "2026-03-01T00:00:00.000Z",
		Fixtures: Object{
			"users":       []Object{{"email": "ada@acme.test", "name": "Ada", "role": "admin", "token": "ada-token"}},
			"recordings":  []Object{{"uuid": recording, "title": "Checkout fails"}},
			"folders":     []Object{{"id": "vip", "name": "VIP"}},
			"sinks":       []Object{{"id": "crm", "respond": []any{500, "timeout", 200}}},
			"automations": []Object{{"id": "notify", "folder": "vip", "url": "sink:crm", "secret": "k"}},
		},
	})
}

// same fails the test unless the values are equal.
func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAWebhookIsRetriedOnItsSchedule(t *testing.T) {
	t.Parallel()
	world := start(t)
	ids := world.AddToFolder("vip", recording)
	same(t, world.Clock.Pending()[0].Kind, "attempt")
	same(t, len(world.Clock.Advance("14h 36m")), 3)
	delivery := world.Delivery(Filter{Automation: "notify"})
	delivery.AssertAttemptsAt("0", "1m", "6m")
	same(t, []string{delivery.ID}, ids)
	same(t, delivery.State, "delivered")
	same(t, delivery.Outcomes(), []string{"failure", "timeout", "success"})
	sink := world.Sink("crm")
	sink.AssertAttemptsAt("0", "60s", "6m")
	same(t, strings.HasPrefix(sink.Requests[0].Headers["x-tapedeck-signature"], "sha256="), true)
	same(t, string(sink.Requests[0].BodyBase64), sink.Requests[0].Body)
}

// recorder keeps what a failing assertion reports.
type recorder struct {
	testing.TB
	reports []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
}

func TestAWrongScheduleFailsWithATable(t *testing.T) {
	t.Parallel()
	world := start(t)
	world.AddToFolder("vip", recording)
	world.Clock.Next()
	delivery := world.Delivery(Filter{})
	failed := &recorder{TB: t}
	delivery.t = failed
	delivery.AssertAttemptsAt("0", "2m")
	same(t, failed.reports, []string{"Delivery " + delivery.ID + ": waiting: the attempts are not as expected\n" +
		"    expected  elapsed   outcome\n" +
		"    0         0         failure 500\n" +
		"  ✗ 2m        –         "})
	delivery.AssertAttemptsAt("0")
	same(t, len(failed.reports), 1)
}

func TestTheWorldHasTokensAClockAndAReset(t *testing.T) {
	t.Parallel()
	world := start(t)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	same(t, world.Tokens, map[string]string{"ada@acme.test": "ada-token"})
	same(t, world.Clock.Now(), first)
	world.Clock.AdvanceTo(first.Add(36 * time.Hour))
	same(t, world.Clock.Now(), first.Add(36*time.Hour))
	sink := world.CreateSink(503)
	world.Load(Object{
		"users":       []Object{{"email": "bob@acme.test", "name": "Bob"}},
		"automations": []Object{{"id": "second", "folder": "vip", "url": sink.URL}},
	})
	same(t, world.Tokens["bob@acme.test"] != "", true)
	world.AddToFolder("vip", recording)
	world.Clock.UntilIdle()
	same(t, world.Delivery(Filter{Automation: "second"}).State, "permanently_failed")
	same(t, len(world.Sink(sink.ID).Requests), 6)
	world.Reset()
	same(t, world.Clock.Now(), first)
	same(t, len(world.Tokens), 1)
}

func TestTheEmulatorOfTheEnvironmentIsUsed(t *testing.T) {
	t.Parallel()
	url, err := emulatorURL()
	if err != nil {
		t.Fatal(err)
	}
	for _, variables := range []map[string]string{
		{"TAPEDECK_EMULATOR_URL": url + "/"},
		{"TAPEDECK_EMULATOR": os.Getenv("TAPEDECK_EMULATOR")},
	} {
		if variables["TAPEDECK_EMULATOR_URL"] == "" && variables["TAPEDECK_EMULATOR"] == "" {
			t.Log("no process is started: TAPEDECK_EMULATOR is not set")
			continue
		}
		started, err := startEmulator(func(name string) string { return variables[name] })
		if err != nil {
			t.Fatal(err)
		}
		if err := call("GET", started+"/_emulator", nil, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestAMissingEmulatorIsAnErrorWithItsReason(t *testing.T) {
	t.Parallel()
	for want, variables := range map[string]map[string]string{
		"cannot start /nowhere":                {"TAPEDECK_EMULATOR": "/nowhere"},
		"false ended: exit status 1":           {"TAPEDECK_EMULATOR": "false"},
		"http://127.0.0.1:1/_emulator\": dial": {"TAPEDECK_EMULATOR_URL": "http://127.0.0.1:1"},
	} {
		_, err := startEmulator(func(name string) string { return variables[name] })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestARefusalNamesItsReason(t *testing.T) {
	t.Parallel()
	world := start(t)
	err := call("PUT", world.ControlURL+"/clock", Object{"mode": "fast"}, nil)
	if err == nil || !strings.Contains(err.Error(), "/clock: 400 mode: ") {
		t.Error(err)
	}
	if _, err := parseDuration("soon"); err == nil {
		t.Error("a duration of words is accepted")
	}
}

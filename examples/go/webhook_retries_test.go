// A webhook's retries, all 14 h 36 min of them, in the time of a unit test.
//
// Start the emulator (npx tapedeck-emulator), then run
//
//	go test ./...
//
// It needs Go 1.19 and nothing else. TAPEDECK_URL says where the emulator is (http://127.0.0.1:4010). Each test has a
// world of its own there, so tests may run in parallel.
package tapedeck

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"sync"
	"testing"
)

const (
	secret    = "our-shared-secret"
	recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
)

type object map[string]any

// call calls the emulator and reads the answer's JSON into answer, unless that is nil. A refusal ends the test.
func call(t *testing.T, method, url string, body, answer any) {
	t.Helper()
	sent := []byte{}
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s\n%s", method, url, response.Status, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			t.Fatal(err)
		}
	}
}

// world makes a world of the test's own, which goes with it; it gives the URL of its control plane.
func world(t *testing.T, fixtures object) string {
	t.Helper()
	emulator := os.Getenv("TAPEDECK_URL")
	if emulator == "" {
		emulator = "http://127.0.0.1:4010"
	}
	var made struct {
		ControlURL string `json:"control_url"`
	}
	call(t, "POST", emulator+"/_emulator/worlds", object{"fixtures": fixtures}, &made)
	t.Cleanup(func() { call(t, "DELETE", made.ControlURL, nil, nil) })
	return made.ControlURL
}

// webhook is what the receiver got.
type webhook struct {
	genuine bool
	id      string
	event   string
}

// receiver is what is under test: it verifies each webhook, and answers with the next status.
type receiver struct {
	*httptest.Server
	mutex    sync.Mutex
	statuses []int
	log      []webhook
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	r := &receiver{statuses: statuses}
	r.Server = httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	digest := hmac.New(sha256.New, []byte(secret))
	digest.Write(body)
	expected := "sha256=" + hex.EncodeToString(digest.Sum(nil))
	genuine := hmac.Equal([]byte(expected), []byte(request.Header.Get("X-Tapedeck-Signature")))
	var payload struct {
		Event string `json:"event"`
	}
	_ = json.Unmarshal(body, &payload) // What is no JSON has no event.

	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.log = append(r.log, webhook{genuine, request.Header.Get("webhook-id"), payload.Event})
	if !genuine || len(r.log) > len(r.statuses) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(r.statuses[len(r.log)-1])
}

func TestAWebhookIsRetriedUntilTheReceiverIsBack(t *testing.T) {
	hook := newReceiver(t, 500, 500, 500, 500, 500, 200)
	control := world(t, object{
		"recordings":  []object{{"uuid": recording, "title": "Checkout fails"}},
		"folders":     []object{{"id": "vip", "name": "VIP"}},
		"automations": []object{{"id": "notify", "folder": "vip", "url": hook.URL + "/hook", "secret": secret}},
	})

	call(t, "POST", control+"/folders/vip/recordings", object{"recording": recording}, nil)
	var moved struct {
		Fired []struct {
			ElapsedMs int    `json:"elapsed_ms"`
			Outcome   string `json:"outcome"`
		} `json:"fired"`
	}
	call(t, "POST", control+"/clock/advance", object{"by": "PT14H36M"}, &moved)

	got := []string{}
	for _, event := range moved.Fired {
		got = append(got, fmt.Sprintf("%d min: %s", event.ElapsedMs/60_000, event.Outcome))
	}
	want := []string{"0 min: failure", "1 min: failure", "6 min: failure", "36 min: failure", "156 min: failure", "876 min: success"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the attempts were %v, not %v", got, want)
	}

	var kept struct {
		Deliveries []struct {
			State string `json:"state"`
		} `json:"deliveries"`
	}
	call(t, "GET", control+"/deliveries?automation=notify", nil, &kept)
	if len(kept.Deliveries) != 1 || kept.Deliveries[0].State != "delivered" {
		t.Errorf("the deliveries are %v, not one that is delivered", kept.Deliveries)
	}

	hook.mutex.Lock()
	defer hook.mutex.Unlock()
	if len(hook.log) != 6 {
		t.Fatalf("the receiver got %d webhooks, not 6", len(hook.log))
	}
	for _, each := range hook.log {
		// A retry has the first attempt's id, so that it can be recognized.
		if each != (webhook{true, hook.log[0].id, "recording.added_to_folder"}) {
			t.Errorf("the receiver got %+v", each)
		}
	}
}

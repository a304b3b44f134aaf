package tapedecktest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	command      = "tapedeck-emulator"
	startTimeout = 60 * time.Second
	callTimeout  = 60 * time.Second
)

// The proxies of the environment do not reach an emulator on loopback.
var client = &http.Client{Timeout: callTimeout, Transport: &http.Transport{}}

// call sends a request with a JSON body, and reads the JSON of the response into answer, unless that is nil.
func call(method, url string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, url, err)
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, url, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, url, err)
	}
	if response.StatusCode >= 300 {
		var refusal struct{ Error string }
		if json.Unmarshal(text, &refusal) != nil || refusal.Error == "" {
			refusal.Error = string(text)
		}
		return fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, refusal.Error)
	}
	if answer == nil || len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, url, err)
	}
	return nil
}

// emulator is started when the first test needs it. All tests of the process share it.
var emulator struct {
	once sync.Once
	url  string
	err  error
}

func emulatorURL() (string, error) {
	emulator.once.Do(func() { emulator.url, emulator.err = startEmulator(os.Getenv) })
	return emulator.url, emulator.err
}

// startEmulator connects to TAPEDECK_EMULATOR_URL. Without it, it starts the command of TAPEDECK_EMULATOR, or that on the PATH.
func startEmulator(getenv func(string) string) (string, error) {
	if url := strings.TrimRight(getenv("TAPEDECK_EMULATOR_URL"), "/"); url != "" {
		return url, call("GET", url+"/_emulator", nil, nil)
	}
	path := getenv("TAPEDECK_EMULATOR")
	if path == "" {
		found, err := exec.LookPath(command)
		if err != nil {
			return "", errors.New("no emulator: set TAPEDECK_EMULATOR_URL to one that runs, or TAPEDECK_EMULATOR to the command " +
				command + ", or put the command on the PATH")
		}
		path = found
	}
	process := exec.Command(path, "--port", "0", "--json", "--quiet", "--until-stdin-ends")
	// The system closes this end of the pipe when the test process ends, in whatever way, and the emulator then stops.
	if _, err := process.StdinPipe(); err != nil {
		return "", err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return "", err
	}
	failure := &bytes.Buffer{}
	process.Stderr = failure
	if err := process.Start(); err != nil {
		return "", fmt.Errorf("cannot start %s: %w", path, err)
	}
	overdue := time.AfterFunc(startTimeout, func() { _ = process.Process.Kill() })
	line, err := bufio.NewReader(output).ReadBytes('\n')
	overdue.Stop()
	if err != nil {
		ended := process.Wait()
		return "", fmt.Errorf("%s ended: %v: %s", path, ended, strings.TrimSpace(failure.String()))
	}
	var world struct {
		BaseURL string `json:"base_url"`
	}
	if err := json.Unmarshal(line, &world); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return world.BaseURL, nil
}

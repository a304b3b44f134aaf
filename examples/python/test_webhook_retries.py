"""A webhook's retries, all 14 h 36 min of them, in the time of a unit test.

Start the emulator (`npx tapedeck-emulator`), then run this with pytest or without:

    python3 -m pytest test_webhook_retries.py
    python3 test_webhook_retries.py

It needs Python 3.9 and nothing else. TAPEDECK_URL says where the emulator is (http://127.0.0.1:4010). Each test has a
world of its own there, so tests may run side by side.
"""

import hashlib
import hmac
import json
import os
import threading
import unittest
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

EMULATOR = os.environ.get("TAPEDECK_URL", "http://127.0.0.1:4010")
SECRET = "our-shared-secret"
RECORDING = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"


def call(method, url, body=None):
    """Calls the emulator; gives the answer's JSON. A refusal raises an HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


@contextmanager
def world(fixtures):
    """A world of our own in the emulator, as long as the block runs; gives the URL of its control plane."""
    control = call("POST", f"{EMULATOR}/_emulator/worlds", {"fixtures": fixtures})["control_url"]
    try:
        yield control
    finally:
        call("DELETE", control)


@contextmanager
def receiver(statuses):
    """The receiver under test: it verifies each webhook, and answers with the next status. Gives its URL and its log."""
    answers = iter(statuses)
    log = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            expected = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
            # As bytes: compare_digest raises for text beyond ASCII, which a sender may send.
            genuine = hmac.compare_digest(expected.encode(), self.headers.get("X-Tapedeck-Signature", "").encode())
            event = json.loads(body)["event"] if genuine else None
            log.append({"genuine": genuine, "id": self.headers["webhook-id"], "event": event})
            self.send_response(next(answers) if genuine else 401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", log
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_retried_until_the_receiver_is_back():
    with receiver([500, 500, 500, 500, 500, 200]) as (url, log):
        fixtures = {
            "recordings": [{"uuid": RECORDING, "title": "Checkout fails"}],
            "folders": [{"id": "vip", "name": "VIP"}],
            "automations": [{"id": "notify", "folder": "vip", "url": url, "secret": SECRET}],
        }
        with world(fixtures) as control:
            call("POST", f"{control}/folders/vip/recordings", {"recording": RECORDING})
            moved = call("POST", f"{control}/clock/advance", {"by": "PT14H36M"})
            [delivery] = call("GET", f"{control}/deliveries?automation=notify")["deliveries"]

    assert [event["elapsed_ms"] / 60_000 for event in moved["fired"]] == [0, 1, 6, 36, 156, 876]
    assert [event["outcome"] for event in moved["fired"]] == ["failure"] * 5 + ["success"]
    assert delivery["state"] == "delivered"
    assert len(log) == 6
    assert all(each["genuine"] for each in log)
    assert {each["event"] for each in log} == {"recording.added_to_folder"}
    assert len({each["id"] for each in log}) == 1, "a retry has the first attempt's id, so that it can be recognized"


def load_tests(loader, tests, pattern):
    """For unittest, which looks for no functions by itself."""
    tests.addTest(unittest.FunctionTestCase(test_a_webhook_is_retried_until_the_receiver_is_back))
    return tests


if __name__ == "__main__":
    unittest.main()

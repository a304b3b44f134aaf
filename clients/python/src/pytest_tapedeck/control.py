"""Requests to the control plane."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

_TIMEOUT_SECONDS = 60
# The proxies of the environment do not reach an emulator on loopback.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class TapedeckError(Exception):
    """The emulator refused a request, or could not be started or reached."""


def call(method: str, url: str, body: Any = None) -> Any:
    """Sends a request with a JSON body, and returns the JSON of the response; None if it is empty."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with _opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
            answer = response.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            raise TapedeckError(f"{method} {url}: {refusal.code} {_message(refusal.read())}") from None
    except OSError as failure:
        raise TapedeckError(f"{method} {url}: {failure}") from failure
    return json.loads(answer) if answer else None


def _message(body: bytes) -> str:
    text = body.decode(errors="replace")
    try:
        return json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return text

"""Assertions on the times of attempts."""

from __future__ import annotations

from datetime import datetime
from itertools import zip_longest
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .duration import Duration, milliseconds, text

Attempt = Tuple[int, str]
"""Milliseconds after the first attempt, and the outcome."""


class _Record:
    """An object of the control plane. ``data`` is its JSON."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    @property
    def id(self) -> str:
        return self.data["id"]


class Delivery(_Record):
    """One webhook: its state and its attempts."""

    @property
    def state(self) -> str:
        """``scheduled``, ``attempting``, ``waiting``, ``delivered``, ``permanently_failed``, ``cancelled`` or ``skipped``."""
        return self.data["state"]

    @property
    def attempts(self) -> List[Dict[str, Any]]:
        return self.data["attempts"]

    @property
    def outcomes(self) -> List[str]:
        """Outcomes of the attempts, such as ``["failure", "timeout", "success"]``."""
        return [attempt["outcome"] for attempt in self.attempts]

    def assert_attempts_at(self, *elapsed: Duration) -> None:
        """Passes if the attempts were made at exactly these times after the first: ``("0", "1m", "6m")``."""
        __tracebackhide__ = True
        made = [(attempt["elapsed_ms"], _outcome(attempt["outcome"], attempt["status_code"])) for attempt in self.attempts]
        _assert_times(f"Delivery {self.id}: {self.state}", made, elapsed)

    def __repr__(self) -> str:
        return f"Delivery({self.id!r}, {self.state!r}, {len(self.attempts)} attempts)"


class Sink(_Record):
    """A receiver inside the emulator: its URL, and the requests that it has received."""

    @property
    def url(self) -> str:
        """URL that only deliveries of the sink's world reach."""
        return self.data["url"]

    @property
    def requests(self) -> List[Dict[str, Any]]:
        """Requests with ``at``, ``method``, ``path``, ``headers``, ``body``, ``body_base64`` and ``outcome``."""
        return self.data.get("requests", [])

    def assert_attempts_at(self, *elapsed: Duration) -> None:
        """Passes if each delivery to this sink made its requests at exactly these times after the first."""
        __tracebackhide__ = True
        deliveries: Dict[Optional[str], List[Dict[str, Any]]] = {}
        for request in self.requests:
            deliveries.setdefault(request["headers"].get("webhook-id"), []).append(request)
        for requests in list(deliveries.values()) or [[]]:
            times = [_instant(request["at"]) for request in requests]
            made = [
                (round((time - times[0]).total_seconds() * 1000), str(request["outcome"]))
                for time, request in zip(times, requests)
            ]
            _assert_times(f"Sink {self.id}", made, elapsed)

    def __repr__(self) -> str:
        return f"Sink({self.id!r}, {len(self.requests)} requests)"


def _instant(iso: str) -> datetime:
    return datetime.fromisoformat(iso.replace("Z", "+00:00"))


def _outcome(outcome: str, status: Optional[int]) -> str:
    return outcome if status is None else f"{outcome} {status}"


def _assert_times(title: str, made: Sequence[Attempt], expected: Sequence[Duration]) -> None:
    __tracebackhide__ = True
    wanted = [milliseconds(elapsed) for elapsed in expected]
    if [elapsed for elapsed, _ in made] == wanted:
        return
    rows = [("expected", "elapsed", "outcome")]
    for want, attempt in zip_longest(wanted, made):
        rows.append(
            ("–" if want is None else text(want), *(("–", "") if attempt is None else (text(attempt[0]), attempt[1])))
        )
    marks = [" ", *("✗" if row[0] != row[1] else " " for row in rows[1:])]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        f"  {mark} " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for mark, row in zip(marks, rows)
    ]
    raise AssertionError("\n".join([f"{title}: the attempts are not as expected", *(line.rstrip() for line in lines)]))

"""Durations as tests write them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Union

Duration = Union[str, int, timedelta]

_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_PART = r"(\d+)\s*(ms|d|h|m|s)"


def milliseconds(duration: Duration) -> int:
    """Returns a duration in milliseconds: ``"0"``, ``"1m"``, ``"2h 36m"``, a ``timedelta``, or a number of milliseconds."""
    if isinstance(duration, timedelta):
        return round(duration / timedelta(milliseconds=1))
    if isinstance(duration, int) and not isinstance(duration, bool) and duration >= 0:
        return duration
    if duration == "0":
        return 0
    if isinstance(duration, str) and re.fullmatch(rf"\s*(?:{_PART}\s*)+", duration):
        return sum(int(count) * _UNITS_MS[unit] for count, unit in re.findall(_PART, duration))
    raise ValueError(f'{duration!r} is not a duration: write "36m", "2h 36m", "0", a timedelta or milliseconds')


def text(ms: int) -> str:
    """Returns a duration as a test would write it: ``"0"``, ``"36m"``, ``"14h 36m"``."""
    parts = []
    for unit, unit_ms in _UNITS_MS.items():
        count, ms = divmod(ms, unit_ms)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0"

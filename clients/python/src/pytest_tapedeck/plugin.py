"""Fixtures that pytest finds by itself once the package is installed."""

from __future__ import annotations

from typing import Iterator

import pytest

from .emulator import Emulator
from .world import World

_MARKER = "tapedeck(fixtures=…, config=…, now=…, seed=…): start of the world that the fixture tapedeck_world creates."


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def tapedeck_emulator() -> Iterator[Emulator]:
    """The emulator that all tests of the session share."""
    emulator = Emulator.start()
    yield emulator
    emulator.stop()


@pytest.fixture
def tapedeck_world(request: pytest.FixtureRequest, tapedeck_emulator: Emulator) -> Iterator[World]:
    """A world for this test. ``@pytest.mark.tapedeck(fixtures={…})`` sets its start; the nearest marker counts, key by key."""
    options = {}
    for marker in reversed(list(request.node.iter_markers("tapedeck"))):
        options.update(marker.kwargs)
    world = tapedeck_emulator.create_world(**options)
    yield world
    world.remove()

"""Tests with the Tapedeck emulator: a world for each test, with a clock that the test moves."""

from .control import TapedeckError
from .emulator import Emulator
from .schedule import Delivery, Sink
from .world import Clock, World

__all__ = ["Clock", "Delivery", "Emulator", "Sink", "TapedeckError", "World"]

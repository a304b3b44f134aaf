"""The emulator's process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from typing import Any, Mapping, Optional

from .control import TapedeckError, call
from .world import World

_COMMAND = "tapedeck-emulator"
_START_SECONDS = 60
_STOP_SECONDS = 10


class Emulator:
    """An emulator that runs: of ``TAPEDECK_EMULATOR_URL``, or a process of its own."""

    def __init__(self, url: str, process: Optional[subprocess.Popen] = None) -> None:
        self.url = url
        self._process = process

    @classmethod
    def start(cls, environment: Mapping[str, str] = os.environ) -> "Emulator":
        """Connects to ``TAPEDECK_EMULATOR_URL``. Without it, starts the command of ``TAPEDECK_EMULATOR``, or that on the ``PATH``."""
        url = environment.get("TAPEDECK_EMULATOR_URL")
        if url:
            call("GET", f"{url.rstrip('/')}/_emulator")
            return cls(url.rstrip("/"))
        command = environment.get("TAPEDECK_EMULATOR") or shutil.which(_COMMAND, path=environment.get("PATH"))
        if command is None:
            raise TapedeckError(
                f"no emulator: set TAPEDECK_EMULATOR_URL to one that runs, or TAPEDECK_EMULATOR to the command {_COMMAND}, "
                "or put the command on the PATH"
            )
        # The emulator stops when its standard input ends, so it does not outlive a test run that was killed.
        options = ["--port", "0", "--json", "--quiet", "--until-stdin-ends"]
        try:
            process = subprocess.Popen(
                [command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as failure:
            raise TapedeckError(f"cannot start {command}: {failure}") from failure
        overdue = threading.Timer(_START_SECONDS, process.kill)
        overdue.start()
        line = process.stdout.readline()
        overdue.cancel()
        if not line:
            _, errors = process.communicate()
            raise TapedeckError(f"{command} ended with {process.returncode}: {errors.decode(errors='replace').strip()}")
        # Nothing is written to it after the start: it has no log.
        process.stderr.close()
        return cls(json.loads(line)["base_url"], process)

    def create_world(self, **options: Any) -> World:
        """Creates a world. Options: ``fixtures``, ``config``, ``now``, ``seed``, ``id``."""
        return World(call("POST", f"{self.url}/_emulator/worlds", options))

    def stop(self) -> None:
        """Stops the process that ``start`` started."""
        if self._process is None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_tapedeck import Emulator, TapedeckError
from pytest_tapedeck.control import call

SOURCE = str(Path(__file__).parents[1] / "src")
COMMAND = os.environ.get("TAPEDECK_EMULATOR")
needs_command = pytest.mark.skipif(COMMAND is None, reason="TAPEDECK_EMULATOR is not set")


def is_served(url):
    try:
        return call("GET", f"{url}/_emulator") is not None
    except TapedeckError:
        return False


@needs_command
def test_a_process_is_started_and_stopped():
    emulator = Emulator.start({"TAPEDECK_EMULATOR": COMMAND})
    assert is_served(emulator.url)
    connected = Emulator.start({"TAPEDECK_EMULATOR_URL": f"{emulator.url}/"})
    connected.stop()
    assert is_served(emulator.url)
    emulator.stop()
    assert not is_served(emulator.url)


@needs_command
def test_the_process_does_not_outlive_a_killed_test_run():
    script = (
        "import os, signal; from pytest_tapedeck import Emulator; "
        f"print(Emulator.start({{'TAPEDECK_EMULATOR': {COMMAND!r}}}).url, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": SOURCE}, stdout=subprocess.PIPE)
    assert killed.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while is_served(killed.stdout.decode().strip()):
        assert time.monotonic() < deadline


def test_a_missing_emulator_is_an_error_that_names_the_variables():
    with pytest.raises(TapedeckError, match="set TAPEDECK_EMULATOR_URL to one that runs, or TAPEDECK_EMULATOR"):
        Emulator.start({"PATH": ""})
    with pytest.raises(TapedeckError, match="cannot start /nowhere"):
        Emulator.start({"TAPEDECK_EMULATOR": "/nowhere"})
    with pytest.raises(TapedeckError, match="ended with 1"):
        Emulator.start({"TAPEDECK_EMULATOR": "false"})
    with pytest.raises(TapedeckError, match="GET http://127.0.0.1:1/_emulator: "):
        Emulator.start({"TAPEDECK_EMULATOR_URL": "http://127.0.0.1:1"})


def test_the_example_of_the_readme_passes(pytester, monkeypatch):
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    example = readme.split("```python\n", 1)[1].split("```", 1)[0]
    pytester.makepyfile(example)
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    pytester.runpytest_subprocess("-p", "pytest_tapedeck.plugin", "--strict-markers").assert_outcomes(passed=2)

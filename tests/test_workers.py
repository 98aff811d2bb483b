"""Test that worker processes that end are replaced."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from homeshelf.serving import workers

PROGRAM = """
import signal, sys
from pathlib import Path
from homeshelf.serving import workers

workers.EARLY_DEATH_SECONDS = 0
folder = Path(sys.argv[1])

def serve(number):
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    import os
    (folder / "counts").write_text(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    (folder / str(number)).write_text(str(os.getpid()))
    while not told:
        signal.pause()
    return 0

sys.exit(workers.run(2, lambda: serve))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares ports")
def test_ended_worker_is_replaced(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)]) as watching:
        first = _pid_of(tmp_path / "0", lambda _: True)
        other = _pid_of(tmp_path / "1", lambda _: True)
        os.kill(first, signal.SIGKILL)
        second = _pid_of(tmp_path / "0", lambda pid: pid != first)
        watching.terminate()
        assert watching.wait(10) == 0
    counts = Path((tmp_path / "counts").read_text())
    assert counts.parent == Path(workers.MEMORY), "who counts into a file on a full disk is killed"
    assert not counts.exists()
    for pid in (first, second, other):
        assert not Path(f"/proc/{pid}").exists()


DYING_PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from homeshelf import logs
from homeshelf.serving import workers

starts, ends = Path(sys.argv[1]), sys.argv[2:]
workers.EARLY_DEATH_SECONDS = 0.5 if "late" in ends else 60

def serve(number):
    with starts.open("a") as file:
        file.write("x")
    end = ends[starts.stat().st_size - 1]
    if end == "SIGKILL":
        os.kill(os.getpid(), signal.SIGKILL)
    if end == "late":
        time.sleep(workers.EARLY_DEATH_SECONDS + 0.1)
    if end == "stop":
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    return 3

logs.configure("info")
sys.exit(workers.run(1, lambda: serve))
"""


@pytest.mark.parametrize(
    ("ends", "exit_code"),
    [
        (["SIGKILL", "3", "stop"], 0),
        (["3", "3", "late", "3", "3", "stop"], 0),
        (["SIGKILL", "3", "3", "not started"], 1),
    ],
)
def test_third_early_exit_of_a_worker_stops_the_server(
    tmp_path: Path, ends: list[str], exit_code: int
) -> None:
    starts = tmp_path / "starts"
    done = subprocess.run(
        [sys.executable, "-c", DYING_PROGRAM, str(starts), *ends],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    deaths = [line for line in lines if line["event"] == "worker_died"]
    causes = [
        {"signal": "SIGKILL"} if end == "SIGKILL" else {"exit_status": 3} for end in ends[:-1]
    ]
    assert [
        {name: death[name] for name in ("signal", "exit_status") if name in death}
        for death in deaths
    ] == causes
    assert (done.returncode, starts.read_text()) == (exit_code, "x" * (len(ends) - exit_code))
    last = "workers_keep_dying" if exit_code else "worker_died"
    assert (lines[-1]["event"], lines[-1]["level"]) == (last, "error")


def _pid_of(file: Path, wanted: Callable[[int], bool]) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()) and wanted(int(text)):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{file} does not name another process")

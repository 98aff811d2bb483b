"""Processes that are watched: one that ends is replaced."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from homeshelf.serving import crew

PROGRAM = """
import signal, sys
from pathlib import Path
from homeshelf.serving import crew

crew.TOO_SOON_SECONDS = 0
folder = Path(sys.argv[1])

def serve(number, keeper):
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    import os
    (folder / "counts").write_text(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    (folder / str(number)).write_text(str(os.getpid()))
    while not told:
        signal.pause()
    return 0

sys.exit(crew.run(2, lambda: serve))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares ports")
def test_a_process_that_ends_is_replaced(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)]) as watching:
        first = _pid_of(tmp_path / "0", lambda _: True)
        other = _pid_of(tmp_path / "1", lambda _: True)
        os.kill(first, signal.SIGKILL)
        second = _pid_of(tmp_path / "0", lambda pid: pid != first)
        watching.terminate()
        assert watching.wait(10) == 0
    counts = Path((tmp_path / "counts").read_text())
    assert counts.parent == Path(crew.MEMORY), "who counts into a file on a full disk is killed"
    assert not counts.exists()
    for pid in (first, second, other):
        assert not Path(f"/proc/{pid}").exists()


def _pid_of(file: Path, wanted: Callable[[int], bool]) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()) and wanted(int(text)):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{file} does not name another process")

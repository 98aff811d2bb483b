"""A disk that accepts no more writes: acknowledged changes are kept, others are refused clearly,
and service resumes once there is room.

A full disk is a real one if the machine lets a process mount one (`environment.py`), and a limit on
file sizes everywhere, which refuses writes like a read-only disk.
"""

import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import httpx
import pytest

from tests.faults.environment import WITHOUT_RIGHTS, SmallDisk, has_small_disks
from tests.faults.household import SETTINGS, start_household
from tests.forked_processes import served
from tests.processes import served_within

TORTURE = (pytest.mark.torture, pytest.mark.timeout(600))
CHANGE_COUNT = 60
"""The number of changes and pages before and after the fault."""


@pytest.mark.skipif(not has_small_disks(), reason="nobody may have a disk of their own here")
@pytest.mark.parametrize("times", [1, pytest.param(10, marks=TORTURE)])
async def test_acknowledged_changes_survive_a_full_disk(tmp_path: Path, times: int) -> None:
    disk = SmallDisk(tmp_path / "data")
    with served(tmp_path, within=disk.within, **SETTINGS) as homeshelf:
        pid = homeshelf.process.pid
        async with start_household(homeshelf.url) as family:
            async with family.busy():
                await family.complete_changes(CHANGE_COUNT)
                for _ in range(times):
                    with disk.full(pid):
                        await family.require_refusals(CHANGE_COUNT)
                    await family.complete_changes(CHANGE_COUNT)
            await family.require_no_lost_changes()
        kept = os.open(f"/proc/{pid}/root{tmp_path}/data", os.O_DIRECTORY)
    shutil.copytree(f"/proc/self/fd/{kept}", tmp_path / "kept")  # the mount still exists
    os.close(kept)
    _require_whole(tmp_path / "kept" / "homeshelf.db")


@pytest.mark.skipif(not has_small_disks(), reason="nobody may have a disk of their own here")
@pytest.mark.torture
def test_workers_with_metrics_survive_a_full_disk(tmp_path: Path) -> None:
    """Metrics are counted in memory-mapped files, whose pages need room when they are written."""
    disk = SmallDisk(tmp_path / "data")
    settings = {"HOMESHELF_METRICS": "local", "TMPDIR": str(tmp_path / "data")}
    with (
        served_within(tmp_path, disk.within, "--workers", "2", **settings) as homeshelf,
        disk.full(homeshelf.process.pid),
        httpx.Client(base_url=homeshelf.url) as client,
    ):
        answers = [
            client.get(path, headers={"Connection": "close"})
            for path in ("/healthz", "/readyz", "/sign-in", "/metrics") * 3
        ]
        assert {answer.status_code for answer in answers} == {200}
        assert 'route="/sign-in",status="200"' in answers[-1].text


@pytest.mark.parametrize("left", ["nothing", "some"])
async def test_writes_are_refused_while_files_cannot_grow(tmp_path: Path, left: str) -> None:
    """`nothing` acts as a read-only disk; with `some` existing bytes can be overwritten."""
    with served(tmp_path, **SETTINGS) as homeshelf:
        async with start_household(homeshelf.url) as family:
            async with family.busy():
                await family.complete_changes(CHANGE_COUNT)
                size = (tmp_path / "data" / "homeshelf.db-wal").stat().st_size
                with _limit_file_size(0 if left == "nothing" else size, homeshelf.process.pid):
                    await family.require_refusals(CHANGE_COUNT)
                await family.complete_changes(CHANGE_COUNT)
            await family.require_no_lost_changes()
    _require_whole(tmp_path / "data" / "homeshelf.db")


async def test_work_continues_in_a_read_only_data_folder(tmp_path: Path) -> None:
    """Open files stay writable."""
    with served(tmp_path, within=WITHOUT_RIGHTS, **SETTINGS) as homeshelf:
        async with start_household(homeshelf.url) as family:
            async with family.busy():
                await family.complete_changes(CHANGE_COUNT)
                with _read_only(tmp_path / "data"):
                    await family.complete_changes(CHANGE_COUNT)
                await family.complete_changes(CHANGE_COUNT)
            await family.require_no_lost_changes()
    _require_whole(tmp_path / "data" / "homeshelf.db")


@contextmanager
def _limit_file_size(size: int, pid: int) -> Iterator[None]:
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    paths = [*folder.iterdir(), folder]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        yield
    finally:
        for path in reversed(paths):
            path.chmod(modes[path])


def _require_whole(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

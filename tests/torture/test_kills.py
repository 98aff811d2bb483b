"""Test that acknowledged changes survive kills, and that no change is stored in part."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import seeded_random
from tests.torture.killing import KillTest, Say

DISK = Path("/var/tmp")  # noqa: S108  # a folder of its own in it, which is gone afterwards


@pytest.fixture
def disk_folder() -> Iterator[Path]:
    """A folder on a real disk, where syncing takes time."""
    folder = Path(tempfile.mkdtemp(dir=DISK if DISK.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


async def test_three_kills_lose_nothing_and_leave_no_partial_change(tmp_path: Path) -> None:
    await KillTest(tmp_path, seeded_random(), lambda _: None).kill_all(3, to_the_end=False)


@pytest.mark.torture
@pytest.mark.timeout(1200)
async def test_a_hundred_kills_lose_nothing_and_leave_no_partial_change(
    disk_folder: Path, say: Say
) -> None:
    await KillTest(disk_folder, seeded_random(), say).kill_all(100, to_the_end=True)


@pytest.mark.torture
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares ports")
async def test_one_worker_that_is_killed_is_replaced_and_loses_nothing(
    disk_folder: Path, say: Say
) -> None:
    await KillTest(disk_folder, seeded_random(), say).kill_workers(12)

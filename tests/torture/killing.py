"""A real server that is killed at any moment, with all its processes or one of them.

After each kill the household compares the server with the responses that it got. The test copies
the folder of the killed process and finishes the pending work in the copy: the database must be
sound, without partial changes and without leftovers.
"""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import apsw

from homeshelf.app import SLICES, todos_of
from homeshelf.books.model import Importing
from homeshelf.config import SqliteAt
from homeshelf.coordination.todos import run_or_postpone
from homeshelf.table import Database, Delete, open_database
from homeshelf.web.services import open_services
from tests import queues
from tests.forked_processes import run, served
from tests.processes import Served
from tests.processes import served as served_anew
from tests.running import SETTINGS
from tests.torture.household import Household
from tests.torture.people import HIGH_LIMITS
from tests.torture.soundness import find_inconsistencies

MOST_CHANGES = 80
MOST_SECONDS = 3.0
"""The longest time after which a process is killed, if it makes few changes."""
SIGNED_IN_FOR = 25
"""The kills before clients sign in again; they take less time than a token is valid."""
EXAMINED_EVERY = 10
WORKERS = 2
REPLACED_AFTER = 5.2
"""The lifetime from which a worker is replaced; one that dies sooner stops all workers."""
LEFT_SECONDS = 120.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class KillTest:
    folder: Path
    dice: Random
    say: Say

    async def kill_all(self, kills: int, *, to_the_end: bool) -> None:
        """Kill the server; with `to_the_end` the last server itself finishes all pending work."""
        house: Household | None = None
        for number in range(kills):
            with served(self.folder, **HIGH_LIMITS) as homeshelf:
                house = await self._continue_household(house, homeshelf.url, number)
                await house.use_until(self._kill(homeshelf, house))
            await self._require_sound(house, number)
            self._report(house, number + 1, kills)
        if house is not None:
            await self._require_the_end(house, to_the_end=to_the_end)

    async def kill_workers(self, kills: int) -> None:
        """Kill one of two workers each time; the watching process replaces it."""
        with served_anew(self.folder, "--workers", "2", **HIGH_LIMITS) as homeshelf:
            house = await Household.move_in(homeshelf.url, self.dice)
            workers = Workers(homeshelf.process.pid)
            for number in range(kills):
                await house.use_until(workers.kill_one(self.dice))
                await house.return_to(homeshelf.url)
                with _snapshot_of(self.folder) as copy:
                    await require_sound(copy, (), finish=True)
                self._report(house, number + 1, kills)
            await house.leave()
            assert homeshelf.log.read_text().count('"worker_died"') == kills

    async def _continue_household(
        self, house: Household | None, url: str, number: int
    ) -> Household:
        if house is None:
            return await Household.move_in(url, self.dice)
        await house.return_to(url)
        if number % SIGNED_IN_FOR == 0:
            await house.sign_in()
        return house

    async def _kill(self, homeshelf: Served, house: Household) -> None:
        """Wait for a number of changes, because a busy machine makes few in a second."""
        enough = house.acknowledged + self.dice.randrange(MOST_CHANGES)
        ends = time.monotonic() + MOST_SECONDS
        while house.acknowledged < enough and time.monotonic() < ends:  # noqa: ASYNC110
            await asyncio.sleep(self.dice.uniform(0, 0.01))
        homeshelf.process.kill()
        assert homeshelf.process.wait() == -signal.SIGKILL

    async def _require_sound(self, house: Household, number: int) -> None:
        with _copy_of(self.folder) as copy:
            await require_sound(copy, house.batches_in_doubt(), finish=True)
            if number % EXAMINED_EVERY == 0:
                examined = await asyncio.to_thread(run, copy, "doctor")
                assert examined.returncode == 0, examined.stdout

    async def _require_the_end(self, house: Household, *, to_the_end: bool) -> None:
        await self._release_imports(house)
        with served(self.folder, **HIGH_LIMITS) as homeshelf:
            await house.return_to(homeshelf.url)
            await house.complete_imports()
            if to_the_end:
                await self._wait_for_todos()
                house.require_known(await house.read_facts())
            await house.leave()
            homeshelf.tell_to_stop()
            assert homeshelf.exit_code() == 0
        await require_sound(self.folder, (), finish=not to_the_end)

    async def _release_imports(self, house: Household) -> None:
        """Expire the leases of the interrupted imports."""
        async with _open_database(self.folder) as db:
            for reader in house.importer.cut_off:
                await db.write(Delete(Importing.key(user_id=reader.member_id)))

    async def _wait_for_todos(self) -> None:
        async with _open_database(self.folder) as db, asyncio.timeout(LEFT_SECONDS):
            while await queues.todos_of(db):  # noqa: ASYNC110  # no event announces it
                await asyncio.sleep(0.5)

    def _report(self, house: Household, done: int, kills: int) -> None:
        if done % EXAMINED_EVERY == 0 or done == kills:
            found = ", ".join(f"{number} {what}" for what, number in house.outcomes.items())
            self.say(
                f"{done} of {kills} kills: {house.acknowledged:,} changes were acknowledged and "
                f"are there; of those in doubt {found or 'there were none'}"
            )


class Workers:
    """The worker processes of a server and their start times."""

    def __init__(self, watching: int) -> None:
        self._watching = watching
        self._since: dict[int, float] = {}
        self._update_workers()

    async def kill_one(self, dice: Random) -> None:
        """Kill the oldest worker once it is old enough, and wait for its replacement."""
        oldest = min(self._since, key=self._since.__getitem__)
        age = time.monotonic() - self._since[oldest]
        await asyncio.sleep(max(REPLACED_AFTER - age, 0) + dice.uniform(0, 0.5))
        os.kill(oldest, signal.SIGKILL)
        async with asyncio.timeout(REPLACED_AFTER):
            while oldest in self._since or len(self._since) < WORKERS:
                await asyncio.sleep(0.02)
                self._update_workers()

    def _update_workers(self) -> None:
        listed = Path(f"/proc/{self._watching}/task/{self._watching}/children").read_text()
        now = time.monotonic()
        self._since = {pid: self._since.get(pid, now) for pid in map(int, listed.split())}


async def require_sound(folder: Path, together: Sequence[Sequence[str]], *, finish: bool) -> None:
    """Check the database; `finish` does the pending work first, even before it is due."""
    async with _open_database(folder) as db:
        if finish:
            await _finish_todos(db)
        assert await find_inconsistencies(db, together) == []
    with closing(apsw.Connection(str(_database_path(folder)))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def _finish_todos(db: Database) -> None:
    handlers = todos_of(await open_services(SETTINGS, db, SLICES))
    while left := await queues.todos_of(db):
        for each in left:
            assert await run_or_postpone(db, handlers, each), each


@asynccontextmanager
async def _open_database(folder: Path) -> AsyncIterator[Database]:
    db = open_database(SqliteAt(_database_path(folder)))
    try:
        yield db
    finally:
        await db.close()


def _database_path(folder: Path) -> Path:
    return folder / "data" / "homeshelf.db"


@contextmanager
def _copy_of(folder: Path) -> Iterator[Path]:
    """Copy all files of the killed process."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(folder / "data", Path(place, "data"))
        yield Path(place)


@contextmanager
def _snapshot_of(folder: Path) -> Iterator[Path]:
    """Copy the database at one moment, while other processes write to it."""
    with tempfile.TemporaryDirectory() as place:
        Path(place, "data").mkdir()
        with closing(apsw.Connection(str(_database_path(folder)))) as connection:
            connection.execute("VACUUM INTO ?", (str(_database_path(Path(place))),))
        yield Path(place)

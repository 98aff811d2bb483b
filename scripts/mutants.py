"""`make mutants ARGS="shopping 40"`: check whether the tests of a slice notice faults.

It puts seeded random faults into a slice, one at a time and each in a copy of the tree, runs the
slice's tests, and prints the faults that no test noticed. `scripts` stands for the scripts of all
pages and the service worker.
"""

import compileall
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import Queue
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from scripts.faults import Fault, faults_in
from scripts.script_faults import NAME as SCRIPTS
from scripts.script_faults import faults_in_scripts, script_paths, script_tests

ROOT = Path(__file__).resolve().parent.parent
MIN_PERCENT = 85
MIN_LIMIT_SECONDS = 20
MAX_SECONDS = 1800
TEST_FOLDERS = {"home": "home_page"}
"""Test folders that are not named like their slice."""
ADOPTING = [
    "tests/moving/test_adoption.py",
    "tests/moving/test_adopted_records.py",
    "tests/moving/test_adopted_people.py",
]
FAMILY_FILES = [
    "tests/moving/test_family_files.py",
    "tests/moving/test_import_conflicts.py",
    "tests/moving/test_broken_family_files.py",
]
SHARED_TESTS = {
    "adopting.py": ADOPTING,
    "messages.py": [
        "tests/outbox/test_news.py",
        "tests/outbox/test_daily.py",
        "tests/outbox/test_channels.py",
        "tests/outbox/test_invitation_letters.py",
    ],
    "moving.py": [*ADOPTING, *FAMILY_FILES, "tests/moving/test_person_files.py"],
}
"""Tests for the files that every slice has, such as `moving.py`."""


class Outcome(Enum):
    NOTICED = auto()
    TOO_SLOW = auto()
    UNNOTICED = auto()
    NOT_TRIED = auto()


console = Console(highlight=False, soft_wrap=True)


def main(
    slice_name: Annotated[str, typer.Argument(metavar="SLICE")],
    count: Annotated[int, typer.Argument(metavar="COUNT")] = 40,
    seed: Annotated[int, typer.Option(help="Which of the random choices.")] = 9,
    minutes: Annotated[float, typer.Option(help="Stop after this long.")] = 30,
    browser: Annotated[bool, typer.Option(help="Run the browser's tests too.")] = False,
    engines: Annotated[bool, typer.Option(help="Run the tests on every engine.")] = False,
    jobs: Annotated[int, typer.Option(help="Faults tried at once.")] = os.cpu_count() or 1,
) -> None:
    """Exit with 1 if fewer than 85 in 100 faults were noticed."""
    chosen = choose_faults(slice_name, count, seed)
    tests = _tests_of(slice_name, browser=browser)
    tests_for = {fault: _likeliest_first(tests, fault) for fault in chosen}
    engine_filter = [] if engines else ["-k", "not dynoxide"]
    deadline = time.monotonic() + minutes * 60
    with _copies(jobs) as copies:
        first = copies.get()
        started_at = time.monotonic()
        all_tests = sorted({test for each in tests_for.values() for test in each})
        if _run_tests(first, [*all_tests, *engine_filter], MAX_SECONDS) is not Outcome.UNNOTICED:
            sys.exit(f"The tests of {slice_name} fail without any fault.")
        limit = limit_after(time.monotonic() - started_at)
        copies.put(first)

        def try_fault(fault: Fault) -> Outcome:
            return _try(fault, [*tests_for[fault], *engine_filter], copies, limit, deadline)

        ends = _try_all(chosen, try_fault, jobs)
    for end, more in ((Outcome.TOO_SLOW, " (noticed by time alone)"), (Outcome.UNNOTICED, "")):
        for fault in (each for each in chosen if ends[each] is end):
            console.print(fault.describe((ROOT / fault.path).read_bytes()) + more, markup=False)
    count_of = Counter(ends[each] for each in chosen)
    tried = len(chosen) - count_of[Outcome.NOT_TRIED]
    unnoticed = count_of[Outcome.UNNOTICED]
    console.print(
        f"{slice_name}, seed {seed}: {tried - unnoticed} of {tried} faults noticed, "
        f"{count_of[Outcome.TOO_SLOW]} of them by taking longer than {limit:.0f} s"
    )
    sys.exit(int(not is_enough(count_of)))


def limit_after(seconds: float) -> float:
    """Return the time limit for tests with a fault, given their time without one."""
    return max(MIN_LIMIT_SECONDS, 2 * seconds)


def is_enough(ends: "Counter[Outcome]") -> bool:
    """Return whether all faults were tried and 85 in 100 were noticed."""
    noticed = ends[Outcome.NOTICED] + ends[Outcome.TOO_SLOW]
    return not ends[Outcome.NOT_TRIED] and noticed * 100 >= ends.total() * MIN_PERCENT


def choose_faults(slice_name: str, count: int, seed: int) -> list[Fault]:
    """Return random faults from all files of a slice; the same seed returns the same ones."""
    if _is_scripts(slice_name):
        possible = faults_in_scripts(ROOT, script_paths(ROOT, slice_name))
    else:
        paths = sorted(
            path.relative_to(ROOT)
            for pattern in ("*.py", "*.html")
            for path in (ROOT / "homeshelf" / slice_name).rglob(pattern)
        )
        possible = [fault for path in paths for fault in faults_in(ROOT, path)]
    if not possible:
        sys.exit(f"There is nothing to break in {slice_name}.")
    return random.Random(seed).sample(possible, min(count, len(possible)))  # noqa: S311 - seeded


def _is_scripts(slice_name: str) -> bool:
    return slice_name.partition("/")[0] == SCRIPTS


def _tests_of(slice_name: str, *, browser: bool) -> list[str]:
    folder = Path("tests", TEST_FOLDERS.get(slice_name, slice_name))
    tests = sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("test_*.py"))
    return [*tests, "tests/browser"] if browser else tests


def _likeliest_first(tests: list[str], fault: Fault) -> list[str]:
    """Sort tests by their likelihood to fail first, because the first failure ends the run."""
    if fault.path.suffix == ".js":
        return script_tests(fault.path)
    words = {"pages"} if fault.path.suffix == ".html" else set(fault.path.stem.split("_"))
    near = sorted(tests, key=lambda test: -len(words & set(Path(test).stem.split("_"))))
    return [*SHARED_TESTS.get(fault.path.name, ()), *near]


@contextmanager
def _copies(jobs: int) -> "Iterator[Queue[Path]]":
    """Yield copies of the tree, each with an interpreter that runs its code."""
    with tempfile.TemporaryDirectory(prefix="homeshelf-mutants-") as folder:
        free: Queue[Path] = Queue()
        for number in range(jobs):
            free.put(_copy(Path(folder, str(number))))
        yield free


def _copy(to: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    if (ROOT / ".cache").is_dir():
        (to / ".cache").symlink_to(ROOT / ".cache")
    venv.create(to / ".venv", symlinks=True)
    own = next((to / ".venv").glob("lib/python*/site-packages"))
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (own / "copy.pth").write_text("\n".join([str(to), *packages]))
    # By hash, because a fault may keep a file's size and modification time.
    compileall.compile_dir(
        to / "homeshelf", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH
    )
    return to


def _try_all(
    chosen: list[Fault], try_fault: Callable[[Fault], Outcome], jobs: int
) -> dict[Fault, Outcome]:
    ends: dict[Fault, Outcome] = {}
    with Progress(console=console, transient=True) as progress, ThreadPoolExecutor(jobs) as pool:
        bar = progress.add_task("", total=len(chosen))
        waiting = {pool.submit(try_fault, fault): fault for fault in chosen}
        for done in as_completed(waiting):
            ends[waiting[done]] = done.result()
            unnoticed = list(ends.values()).count(Outcome.UNNOTICED)
            progress.update(bar, advance=1, description=f"{unnoticed} unnoticed")
    return ends


def _try(
    fault: Fault, tests: list[str], copies: "Queue[Path]", limit: float, deadline: float
) -> Outcome:
    if time.monotonic() > deadline:
        return Outcome.NOT_TRIED
    copy = copies.get()
    original = (ROOT / fault.path).read_bytes()
    try:
        (copy / fault.path).write_bytes(fault.put_into(original))
        return _run_tests(copy, tests, limit)
    finally:
        (copy / fault.path).write_bytes(original)
        copies.put(copy)


def _run_tests(copy: Path, tests: list[str], limit: float) -> Outcome:
    """Run the tests until the first failure, and return how they ended."""
    command = [str(copy / ".venv/bin/python"), "-m", "pytest", "-x", "-q", *tests]
    quiet = ["-p", "no:cacheprovider", "--no-header", "--tb", "no"]
    process = subprocess.Popen(  # noqa: S603 - the command is ours
        [*command, *quiet],
        cwd=copy,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        return Outcome.TOO_SLOW
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Outcome.NOTICED if code else Outcome.UNNOTICED


if __name__ == "__main__":
    typer.run(main)

"""The image of `deploy/container`: linted, built as far as possible without an engine, and run."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

import httpx
import pytest

from homeshelf import background
from homeshelf.commands import process
from tests.deploy import ROOT
from tests.deploy.containerfile import FILE, IMAGE, Instruction, Stage, said_by
from tests.documentation import is_valid_command
from tests.processes import environment, free_port
from tests.servers.programs import LEASH

IGNORED = (ROOT / ".containerignore").read_text()


class Builder:
    def __init__(self, root: Path, stage: Stage) -> None:
        """`root` is the root folder of the image's file system."""
        self.root = root
        self._stage = stage
        self._folder = root

    def here(self, text: str) -> str:
        """Return a command with its paths below the root, and with the Python of the tests."""
        text = re.sub(r"(?<![\w./:])/(?=(?:opt|src|data)\b)", f"{self.root}/", text)
        text = re.sub(r"^python(?= )", sys.executable, text)
        return re.sub(r"^pip(?= )", f"{sys.executable} -m pip", text)

    def run(self, *, without: Sequence[str] = ()) -> None:
        """Run all steps of the stage, except RUN steps that contain one of these."""
        for each in self._stage:
            if each.name == "WORKDIR":
                self._folder = Path(self.here(each.rest))
                self._folder.mkdir(parents=True, exist_ok=True)
            elif each.name == "COPY":
                self._copy(each)
            elif each.name == "RUN" and not any(word in each.rest for word in without):
                self._shell(self.here(each.rest))

    def _copy(self, step: Instruction) -> None:
        *sources, target = step.words
        for source in sources:
            for file in context(source):
                inside = file.relative_to(source) if (ROOT / source).is_dir() else Path(file.name)
                to = self._folder / target / inside
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, to)

    def _shell(self, command: str) -> None:
        environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run(
            ["/bin/sh", "-ec", command],
            cwd=self._folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def context(source: str) -> Iterator[Path]:
    """Yield the files below a path that `.containerignore` admits."""
    start = ROOT / source
    for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
        file = path.relative_to(ROOT)
        if path.is_file() and is_let_in(file):
            yield file


def is_let_in(file: Path) -> bool:
    """Return whether the last line that matches the file, or a folder above it, admits it."""
    let_in = True
    lines = [line for line in IGNORED.splitlines() if line and not line.startswith("#")]
    for line in lines:
        pattern = line.removeprefix("!")
        if any(_matches_pattern(pattern, each) for each in (file, *file.parents)):
            let_in = line.startswith("!")
    return let_in


def _matches_pattern(pattern: str, path: Path) -> bool:
    if pattern.startswith("**/"):
        return fnmatch(path.name, pattern.removeprefix("**/"))
    return len(path.parts) == pattern.count("/") + 1 and fnmatch(str(path), pattern)


PAGE = (ROOT / "docs" / "container.md").read_text()
BUILD, LAST = IMAGE.stages
LOCKED = "requirements/run.txt"
STARTS_WITHIN_SECONDS = 30.0
MOST_BYTES = 180_000_000
"""The maximum size of the packages; measured were 165 MB."""


def test_hadolint_accepts_the_containerfile() -> None:
    options = ["--no-color", "--disable-ignore-pragma", "-t", "style"]
    assert said_by("hadolint", *options, str(FILE)) == (0, "")


def test_base_images_are_slim_with_the_tested_python_and_no_registry() -> None:
    bases = [stage[0].words[0] for stage in IMAGE.stages]
    assert bases == ["python:${PYTHON}-slim"] * 2
    (version,) = re.findall(r"^ARG PYTHON=(\S+)$", FILE.read_text(), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert version == project["tool"]["mypy"]["python_version"]
    assert "://" not in FILE.read_text().replace("http://127.0.0.1", "")


def test_dependencies_come_from_the_lock_file_with_hashes() -> None:
    installs = [
        each.rest for each in (*BUILD, *LAST) if " install " in each.rest and "pip" in each.rest
    ]
    locked, ours = installs
    assert locked.endswith(f"--require-hashes -r {LOCKED}")
    assert "--no-deps --no-build-isolation ." in ours
    assert not any(each.name == "ADD" for each in (*BUILD, *LAST))
    assert not re.search(r"\b(apt-get|curl|wget)\b", FILE.read_text())


def test_image_runs_unprivileged_with_one_volume() -> None:
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", IMAGE.user)
    assert [each.name for each in LAST].count("USER") == 1
    assert IMAGE.environment["HOMESHELF_DATA_DIR"] == IMAGE.volume == IMAGE.last("WORKDIR").rest
    (made,) = (each.rest for each in LAST if each.name == "RUN")
    owner, group = IMAGE.user.split(":")
    assert f"install --directory --owner {owner} --group {group} --mode 700 {IMAGE.volume}" in made
    after = [each.name for each in LAST[[each.name for each in LAST].index("USER") :]]
    assert not {"RUN", "COPY"} & set(after)
    assert not re.search("SECRET|PASSWORD|TOKEN", str(IMAGE.environment))


def test_image_declares_the_stop_signal_and_health_check() -> None:
    assert IMAGE.last("STOPSIGNAL").rest == "SIGTERM"
    assert is_valid_command(IMAGE.command)
    assert IMAGE.health_path == "/healthz"
    takes = process.GRACE_SECONDS + background.ENDS_WITHIN_SECONDS
    given = re.findall(r"--stop-timeout[ =](\d+)", PAGE)
    assert given
    assert all(int(seconds) > takes for seconds in given)


def test_build_context_has_only_the_files_of_the_image() -> None:
    copied = [source for each in BUILD if each.name == "COPY" for source in each.words[:-1]]
    there = [ROOT / each for each in copied]
    assert all(each.exists() for each in there)
    for outside in (
        ".git/config",
        "data/homeshelf.db",
        "tests/conftest.py",
        "requirements/test.txt",
    ):
        assert not is_let_in(Path(outside)), outside
    assert not is_let_in(Path("homeshelf/__pycache__/cli.pyc"))
    program = {path for path in (ROOT / "homeshelf").rglob("*") if path.is_file()}
    kept = {path for path in program if path.parent.name != "__pycache__"}
    assert {ROOT / file for file in context("homeshelf")} == kept


def test_built_package_serves_and_stops(tmp_path: Path) -> None:
    """Packages of the test environment replace the locked ones, which take long to install."""
    build = Builder(tmp_path, BUILD)
    build.run(without=[LOCKED, "--no-build-isolation"])
    lend_packages(tmp_path)
    build.run(without=[LOCKED, "venv"])
    serves_and_stops(build)


@pytest.mark.torture
@pytest.mark.timeout(600)
def test_built_image_serves_and_stops(tmp_path: Path) -> None:
    build = Builder(tmp_path, BUILD)
    build.run()
    serves_and_stops(build)
    assert size_of(tmp_path / "opt") < MOST_BYTES


def lend_packages(root: Path) -> None:
    """Link the packages of the tests, which have the locked versions (`test_locks.py`)."""
    (packages,) = (root / "opt/homeshelf/lib").glob("python3.*/site-packages")
    (packages / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")


def serves_and_stops(build: Builder) -> None:
    port = free_port()
    (build.root / "data").mkdir(mode=0o700)
    with started(build, port) as server:
        assert checked(build, port) == 0, (build.root / "serve.log").read_text()
        assert httpx.get(f"http://127.0.0.1:{port}/readyz").is_success
        assert (build.root / "data" / "homeshelf.db").exists()
        server.send_signal(signal.Signals[IMAGE.last("STOPSIGNAL").rest])
        assert server.wait(15) == 0
        assert checked(build, port, within=0) != 0


@contextmanager
def started(build: Builder, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the command of the image with its settings, on a free port."""
    log = build.root / "serve.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-S", str(LEASH), *inside(build, IMAGE.command, port)],
            cwd=build.here(IMAGE.last("WORKDIR").rest),
            env=settings_of(build),
            stdout=output,
            stderr=output,
        )
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def checked(build: Builder, port: int, within: float = STARTS_WITHIN_SECONDS) -> int:
    """Return the exit code of the health check, repeated while the server starts."""
    ends = time.monotonic() + within
    while True:
        command = inside(build, IMAGE.health_check, port)
        done = subprocess.run(command, env=settings_of(build), capture_output=True, check=False)
        if done.returncode == 0 or time.monotonic() > ends:
            return done.returncode
        time.sleep(0.2)


def inside(build: Builder, command: list[str], port: int) -> list[str]:
    """Return a command with the PATH of the image and another port."""
    program, *words = command
    folder = Path(build.here(IMAGE.environment["PATH"].partition(":")[0]))
    return [
        str(folder / program),
        *(re.sub(rf"\b{IMAGE.port}\b", str(port), word) for word in words),
    ]


def settings_of(build: Builder) -> dict[str, str]:
    ours = {name: build.here(value) for name, value in IMAGE.environment.items() if name != "PATH"}
    return environment({**ours, "HOMESHELF_SECRET": ""})


def size_of(folder: Path) -> int:
    return sum(os.lstat(path).st_size for path in folder.rglob("*"))

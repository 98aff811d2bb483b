"""Builds an image's files without an engine: the steps of a Containerfile, below a folder.

What a stage names from the root of its file system (`/opt/homeshelf`) is below the folder instead.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from tests.deploy import ROOT
from tests.deploy.containerfile import Instruction, Stage

IGNORED = (ROOT / ".containerignore").read_text()


class Builder:
    def __init__(self, root: Path, stage: Stage) -> None:
        """`root` is where the file system of the image begins."""
        self.root = root
        self._stage = stage
        self._folder = root

    def here(self, text: str) -> str:
        """The same with its paths below the root, and with the Python that runs the tests."""
        text = re.sub(r"(?<![\w./:])/(?=(?:opt|src|data)\b)", f"{self.root}/", text)
        text = re.sub(r"^python(?= )", sys.executable, text)
        return re.sub(r"^pip(?= )", f"{sys.executable} -m pip", text)

    def run(self, *, without: Sequence[str] = ()) -> None:
        """All steps of the stage, but for RUNs that name one of these."""
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
    """The files below a path that `.containerignore` lets in, beginning at the root of the tree."""
    start = ROOT / source
    for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
        file = path.relative_to(ROOT)
        if path.is_file() and is_let_in(file):
            yield file


def is_let_in(file: Path) -> bool:
    """The last line that speaks of the file, or of a folder it is in, decides."""
    let_in = True
    lines = [line for line in IGNORED.splitlines() if line and not line.startswith("#")]
    for line in lines:
        pattern = line.removeprefix("!")
        if any(_speaks_of(pattern, each) for each in (file, *file.parents)):
            let_in = line.startswith("!")
    return let_in


def _speaks_of(pattern: str, path: Path) -> bool:
    if pattern.startswith("**/"):
        return fnmatch(path.name, pattern.removeprefix("**/"))
    return len(path.parts) == pattern.count("/") + 1 and fnmatch(str(path), pattern)

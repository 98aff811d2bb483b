"""A parser for `deploy/container/Containerfile`."""

import json
import re
import shlex
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.deploy import DEPLOY

FILE = DEPLOY / "container" / "Containerfile"


class Instruction(NamedTuple):
    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """Return the arguments, which are a JSON list or shell words."""
        if self.rest.startswith("["):
            found: list[str] = json.loads(self.rest)
            return found
        return shlex.split(self.rest)


Stage = list[Instruction]


@dataclass(frozen=True)
class Image:
    """The image that the last stage describes."""

    stages: list[Stage]

    def last(self, name: str) -> Instruction:
        return [each for each in self.stages[-1] if each.name == name][-1]

    @property
    def port(self) -> int:
        (port,) = self.last("EXPOSE").words
        return int(port)

    @property
    def volume(self) -> str:
        (volume,) = self.last("VOLUME").words
        return volume

    @property
    def user(self) -> str:
        return self.last("USER").rest

    @property
    def environment(self) -> dict[str, str]:
        settings = [word for each in self._all("ENV") for word in each.words]
        return dict(word.split("=", 1) for word in settings)

    @property
    def command(self) -> list[str]:
        return [*self.last("ENTRYPOINT").words, *self.last("CMD").words]

    @property
    def health_check(self) -> list[str]:
        _, _, command = self.last("HEALTHCHECK").rest.partition("CMD ")
        return Instruction("CMD", command).words

    @property
    def health_path(self) -> str:
        (path,) = re.findall(r"http://[\d.:]+(/\w+)", " ".join(self.health_check))
        return str(path)

    def _all(self, name: str) -> list[Instruction]:
        return [each for each in self.stages[-1] if each.name == name]


def read(path: Path) -> Image:
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    found = [Instruction(*line.split(" ", 1)) for line in lines if line]
    stages: list[Stage] = []
    for each in found:
        if each.name == "FROM":
            stages.append([])
        if stages:
            stages[-1].append(each)
    return Image(stages)


IMAGE = read(FILE)


def said_by(linter: str, *arguments: str) -> tuple[int, str]:
    """Return the exit code and the output of an installed linter."""
    program = Path(sysconfig.get_path("scripts")) / linter
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr

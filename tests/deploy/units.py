"""Unit files, read as systemd reads them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.deploy import DEPLOY

FOLDER = DEPLOY / "systemd"
Unit = Mapping[str, Mapping[str, list[str]]]
"""The values of each option, by section; an option may stand several times."""


def unit(name: str, *changes: str) -> Unit:
    """The unit of that name, and what further files say about it."""
    found: dict[str, dict[str, list[str]]] = {}
    for text in ((FOLDER / name).read_text(), *changes):
        for section, option, value in _lines(text):
            values = found.setdefault(section, {}).setdefault(option, [])
            if not value:
                values.clear()  # so says systemd: an empty one forgets those before
            values.append(value)
    return found


def names() -> list[str]:
    return sorted(path.name for path in FOLDER.iterdir())


def written(folder: Path) -> None:
    """The units in a folder, with programs that are on every machine."""
    for name in names():
        lines = (FOLDER / name).read_text().splitlines()
        commands = ["ExecStart=/bin/true" if _starts(line) else line for line in lines]
        (folder / name).write_text("\n".join(commands) + "\n")


def _starts(line: str) -> bool:
    return line.startswith("ExecStart=")


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith(("#", ";")):
            option, equals, value = line.partition("=")
            assert section, line
            assert equals, line
            yield section, option, value

"""Test that imports go in one direction, as `CONTRIBUTING.md` draws it."""

import pytest

from tests.rooms import PROGRAM, SLICES, drawn, imports, named_by

NUMBER = {room: number for number, line in enumerate(drawn()) for room in line}


def test_diagram_lists_every_package_once() -> None:
    there = {path.stem for path in PROGRAM.glob("*.py")} | {
        path.parent.name for path in PROGRAM.glob("*/__init__.py")
    }
    assert sorted(room for line in drawn() for room in line) == sorted(there - {"__init__"})


def test_diagram_has_one_slice_per_line() -> None:
    assert [line for line in drawn() if set(line) & set(SLICES)] == [[name] for name in SLICES]


def test_packages_import_only_from_above() -> None:
    wrong = [
        f"{file} names {other}"
        for room, other, file in sorted(imports())
        if NUMBER[other] >= NUMBER[room] > 0
    ]
    assert not wrong


@pytest.mark.parametrize("room", drawn()[0])
def test_base_packages_import_only_each_other(room: str) -> None:
    assert named_by(room) <= set(drawn()[0])


def test_only_commands_import_the_server() -> None:
    assert {room for room, other, _ in imports() if other == "serving"} == {"commands"}


def test_packages_do_not_import_each_other() -> None:
    pairs = {(room, other) for room, other, _ in imports()}
    assert not [pair for pair in pairs if pair[::-1] in pairs and NUMBER[pair[0]] > 0]

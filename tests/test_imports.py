"""Test that imports go in one direction, as `CONTRIBUTING.md` draws it."""

import pytest

from tests.rooms import PROGRAM, SLICES, drawn, imports, named_by

NUMBER = {room: number for number, line in enumerate(drawn()) for room in line}


def test_every_room_is_drawn_once() -> None:
    there = {path.stem for path in PROGRAM.glob("*.py")} | {
        path.parent.name for path in PROGRAM.glob("*/__init__.py")
    }
    assert sorted(room for line in drawn() for room in line) == sorted(there - {"__init__"})


def test_slices_are_drawn_one_above_the_other() -> None:
    assert [line for line in drawn() if set(line) & set(SLICES)] == [[name] for name in SLICES]


def test_no_room_names_one_beside_or_below_it() -> None:
    wrong = [
        f"{file} names {other}"
        for room, other, file in sorted(imports())
        if NUMBER[other] >= NUMBER[room] > 0
    ]
    assert not wrong


@pytest.mark.parametrize("room", drawn()[0])
def test_those_of_the_first_line_name_nobody_else(room: str) -> None:
    assert named_by(room) <= set(drawn()[0])


def test_nothing_but_the_commands_knows_the_server_of_http() -> None:
    assert {room for room, other, _ in imports() if other == "serving"} == {"commands"}


def test_no_package_imports_one_that_imports_it() -> None:
    pairs = {(room, other) for room, other, _ in imports()}
    assert not [pair for pair in pairs if pair[::-1] in pairs and NUMBER[pair[0]] > 0]

"""Read JSON piece by piece: the elements of a long list, one after the other.

An element may have as many objects as the caller allows; more are dropped while they are read, so
that memory stays bounded.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, TextIO

PIECE = 64 * 1024
MOST_STRUCTURE = 1_600_000
"""The most characters at once outside of texts and spaces: as values they take up to thirty times
as much memory."""
_SPACE = re.compile(r"[ \t\n\r]*")
_TEXT_OR_SPACE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[ \t\n\r]+')
_MAY_GO_ON = re.compile(r"[-+.eE0-9]*\Z")


class BadJson(ValueError):
    """The file is no JSON, or not of the expected shape."""


TOO_MANY_OBJECTS = object()
"""Stands for an element with more objects than allowed."""


def members(file: TextIO, listed: str, most_objects: int) -> Iterator[tuple[str, Any]]:
    """Yield the members of the one object in a file; the list `listed` as an iterator.

    Only one of its elements is in memory at a time, so the caller must exhaust the iterator first.
    """
    text = _Text(file, most_objects)
    for _step in _steps(text, "{", "}"):
        name = text.value()
        if not isinstance(name, str):
            raise BadJson("a name is a text")
        text.take(":")
        elements = (text.value() for _step in _steps(text, "[", "]"))
        yield name, elements if name == listed else text.value()
    if text.peek():
        raise BadJson("more than one value")


def _steps(text: "_Text", start: str, end: str) -> Iterator[None]:
    """Yield before each value between `start`, commas and `end`; the caller reads the value."""
    text.take(start)
    if text.peek() == end:
        text.take(end)
        return
    while True:
        yield
        if text.take(f",{end}") == end:
            return


class _Text:
    def __init__(self, file: TextIO, most_objects: int) -> None:
        self._file = file
        self._most_objects = most_objects
        self._objects = 0
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_float=Decimal, parse_constant=_no_number
        )
        self._text = ""
        self._at = 0
        self._is_all = False

    def peek(self) -> str:
        """Return the next character that is no space, or nothing at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_all:
                return ""
            self._read_on()

    def take(self, expected: str) -> str:
        found = self.peek()
        if not found or found not in expected:
            raise BadJson(f"one of {expected} is missing")
        self._at += 1
        return found

    def value(self) -> Any:
        """Read the next value; one at the end of what was read may go on: `1` may be `1.5`."""
        self.peek()
        while True:
            self._objects = 0
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, ArithmeticError, RecursionError) as error:
                if self._is_all:
                    raise BadJson(str(error)) from None
            else:
                if self._is_all or not _MAY_GO_ON.match(self._text, end):
                    self._at = end
                    return value if self._objects <= self._most_objects else TOO_MANY_OBJECTS
            self._read_on()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
        self._objects += 1
        return dict(pairs) if self._objects <= self._most_objects else None

    def _read_on(self) -> None:
        """Read as much again as there is, so that a long value is not tried too often."""
        rest = self._text[self._at :]
        more = self._file.read(max(PIECE, len(rest)))
        self._text, self._at, self._is_all = rest + more, 0, not more
        if len(self._text) > MOST_STRUCTURE and self._structure() > MOST_STRUCTURE:
            raise BadJson("too many values")

    def _structure(self) -> int:
        found = _TEXT_OR_SPACE.finditer(self._text)
        return len(self._text) - sum(each.end() - each.start() for each in found)


def _no_number(name: str) -> Any:
    raise BadJson(f"{name} is no number")

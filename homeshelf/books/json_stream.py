"""Read a long JSON list element by element, in bounded memory."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, TextIO

PIECE = 64 * 1024
MAX_STRUCTURE = 1_600_000
"""The limit on characters outside of texts and spaces: parsed, they take thirty times the memory.
"""
_NAMESPACE = re.compile(r"[ \t\n\r]*")
_TEXT_OR_SPACE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[ \t\n\r]+')
_UNFINISHED_NUMBER = re.compile(r"[-+.eE0-9]*\Z")


class InvalidJson(ValueError):
    """The error of a file that is no JSON, or has an unexpected shape."""


TOO_MANY_OBJECTS = object()


def members(file: TextIO, listed: str, most_objects: int) -> Iterator[tuple[str, Any]]:
    """Yield the members of the object in a file; exhaust the list `listed` first."""
    text = _Text(file, most_objects)
    for _step in _values_between(text, "{", "}"):
        name = text.value()
        if not isinstance(name, str):
            raise InvalidJson("a name is a text")
        text.take(":")
        elements = (text.value() for _step in _values_between(text, "[", "]"))
        yield name, elements if name == listed else text.value()
    if text.peek():
        raise InvalidJson("more than one value")


def _values_between(text: "_Text", start: str, end: str) -> Iterator[None]:
    """Yield before each value between `start`, commas and `end`, for the caller to read it."""
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
            object_pairs_hook=self._object, parse_float=Decimal, parse_constant=_refuse_constant
        )
        self._text = ""
        self._at = 0
        self._is_all = False

    def peek(self) -> str:
        while True:
            space = _NAMESPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_all:
                return ""
            self._read_more()

    def take(self, expected: str) -> str:
        found = self.peek()
        if not found or found not in expected:
            raise InvalidJson(f"one of {expected} is missing")
        self._at += 1
        return found

    def value(self) -> Any:
        """Read the next value; a number at the end of the buffer may continue in the file."""
        self.peek()
        while True:
            self._objects = 0
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, ArithmeticError, RecursionError) as error:
                if self._is_all:
                    raise InvalidJson(str(error)) from None
            else:
                if self._is_all or not _UNFINISHED_NUMBER.match(self._text, end):
                    self._at = end
                    return value if self._objects <= self._most_objects else TOO_MANY_OBJECTS
            self._read_more()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
        self._objects += 1
        return dict(pairs) if self._objects <= self._most_objects else None

    def _read_more(self) -> None:
        """Double the buffer, so that a long value is not parsed too often."""
        rest = self._text[self._at :]
        more = self._file.read(max(PIECE, len(rest)))
        self._text, self._at, self._is_all = rest + more, 0, not more
        if len(self._text) > MAX_STRUCTURE and self._structure_size() > MAX_STRUCTURE:
            raise InvalidJson("too many values")

    def _structure_size(self) -> int:
        found = _TEXT_OR_SPACE.finditer(self._text)
        return len(self._text) - sum(each.end() - each.start() for each in found)


def _refuse_constant(name: str) -> Any:
    raise InvalidJson(f"{name} is no number")

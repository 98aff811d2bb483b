"""Key templates, such as `STORE#{storeId|UNASSIGNED}#STATUS#{status}`.

    {status}                the attribute's value
    {storeId|UNASSIGNED}    a word that stands for null
    {quantity:010}          a number in ten digits, so that text order is number order
    {shortId:bare}          lower-case, without dashes and spaces
    {nameKey:rest}          any text, to the end of the key

A template with all values is a key, and with its first values a prefix.

A value that is empty, contains `#` or equals the word for null would name another record, so it is
a BadRequest. Only `rest` accepts `#`, because it is the last field.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeshelf.table.engine import BadRequest
from homeshelf.table.operations import HIGHEST, Between, Equals, KeyValue, Prefix, Sort

SEPARATOR = "#"
REST = "rest"

_ANY = {True: ".+", False: "[^#]+"}
_FIELD = re.compile(r"\{(\w+)(?::(\w+))?(?:\|(\w+))?\}")


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    format: str | None
    instead_of_null: str | None
    before: str

    def text(self, value: Any) -> str | None:
        if value is None:
            return self.instead_of_null
        text = self._formatted(value) if self.format or type(value) is not str else value
        if not text or text == self.instead_of_null or (SEPARATOR in text and self.format != REST):
            # The message does not contain the value: it is logged, and a key may be a secret.
            raise BadRequest(f"{self.name} is nothing that a key can hold")
        return text

    def _formatted(self, value: Any) -> str:
        if self.format is None or self.format == REST:
            return value if isinstance(value, str) else str(value)
        if self.format == "bare":
            return str(value).lower().replace("-", "").replace(" ", "")
        return f"{value:{self.format}}"


class Template:
    def __init__(self, text: str, *, number: bool = False) -> None:
        self.text = text
        self.number = number
        self.fields: list[Field] = []
        end = 0
        for found in _FIELD.finditer(text):
            name, format_, instead = found.groups()
            self.fields.append(Field(name, format_, instead, text[end : found.start()]))
            end = found.end()
        self.after = text[end:]
        parts = (f"{re.escape(f.before)}{_ANY[f.format == REST]}" for f in self.fields)
        self._form = re.compile("".join(parts) + re.escape(self.after), re.DOTALL)
        if any(SEPARATOR not in field.before for field in self.fields[1:]):
            raise ValueError(f"{text} has fields with no {SEPARATOR} between them")
        if f":{REST}}}" in text.removesuffix(f":{REST}}}"):
            raise ValueError(f"{text} goes on after its rest")

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.fields]

    def fill(self, values: Mapping[str, Any]) -> KeyValue | None:
        """Return the key, or None if a required attribute is null."""
        if self.number:
            return int(values[self.fields[0].name])
        key = ""
        for field in self.fields:
            text = field.text(values[field.name])
            if text is None:
                return None
            key += field.before + text
        return key + self.after

    def sort(self, known: Mapping[str, Any]) -> Sort | None:
        """Return equality if all values are known, or else the known prefix."""
        prefix, rest = self._prefix(known)
        if not rest:
            return Equals(known[self.fields[0].name] if self.number else prefix)
        return Prefix(prefix) if prefix else None

    def between(self, known: Mapping[str, Any], name: str, low: Any, high: Any) -> Between:
        """Return the range of keys whose next field lies from `low` to `high`."""
        prefix, rest = self._prefix(known)
        if not rest or rest[0].name != name:
            raise ValueError(f"{name} is not the first unknown field of {self.text}")
        following = rest[1].before if len(rest) > 1 else self.after
        start = prefix if low is None else f"{prefix}{rest[0].text(low)}"
        end = prefix if high is None else f"{prefix}{rest[0].text(high)}{following}"
        return Between(start, end + HIGHEST)

    def read(self, key: KeyValue) -> dict[str, str | int]:
        if self.number:
            return {self.fields[0].name: key}
        pattern = "".join(f"{re.escape(f.before)}(?P<{f.name}>.*?)" for f in self.fields)
        found = re.fullmatch(pattern + re.escape(self.after), str(key), re.DOTALL)
        if not found:
            raise ValueError(f"{key} is not of the form {self.text}")
        return dict(found.groupdict())

    def fits(self, key: object) -> bool:
        if self.number:
            return isinstance(key, int)
        return isinstance(key, str) and self._form.fullmatch(key) is not None

    def _prefix(self, known: Mapping[str, Any]) -> tuple[str, list[Field]]:
        prefix = ""
        for position, field in enumerate(self.fields):
            prefix += field.before
            if field.name not in known:
                return prefix, self.fields[position:]
            text = field.text(known[field.name])
            if text is None:
                raise ValueError(f"{self.text} needs a value for each of its fields")
            prefix += text
        return prefix + self.after, []

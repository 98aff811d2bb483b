"""Find all kinds of records, and the kind of a record by its key."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import homeshelf
from homeshelf.table import Item, Key, Record

WITHOUT = ("homeshelf.__main__", "homeshelf.cli", "homeshelf.commands", "homeshelf.demo")
"""Modules without records, which may import slices that were removed."""


def every_kind() -> list[type[Record]]:
    found = (each.name for each in walk_packages(homeshelf.__path__, "homeshelf."))
    names = {name for name in found if not name.startswith(WITHOUT)}
    for name in names:
        import_module(name)
    return [kind for kind in _below(Record) if kind.__module__ in names]


def _below(kind: type[Record]) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        if hasattr(each, "keys"):
            yield each
        yield from _below(each)


class Kinds:
    """Finds the kind of a key among those whose partition keys begin alike."""

    def __init__(self) -> None:
        self._by_beginning: dict[tuple[str, str], list[type[Record]]] = {}
        for kind in every_kind():
            begins = _beginning(kind.keys[kind.table.partition])
            self._by_beginning.setdefault((kind.table.name, begins), []).append(kind)

    def at(self, key: Key[Item]) -> type[Record] | None:
        among = self._by_beginning.get((key.table.name, _beginning(key.partition)), [])
        return next((kind for kind in among if kind.stands_at(key)), None)


def _beginning(partition: str | int) -> str:
    """Return the word before the first separator of a key or its template."""
    return "" if isinstance(partition, int) else partition.partition("#")[0].partition("{")[0]

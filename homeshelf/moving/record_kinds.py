"""Find all kinds of records, and the kind of a key."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import homeshelf
from homeshelf.table import Item, Key, Record

NO_RECORDS = ("homeshelf.__main__", "homeshelf.cli", "homeshelf.commands", "homeshelf.demo")
"""Modules that define no records; skipped, as they may import a package that was deleted."""


def every_kind() -> list[type[Record]]:
    found = (each.name for each in walk_packages(homeshelf.__path__, "homeshelf."))
    names = {name for name in found if not name.startswith(NO_RECORDS)}
    for name in names:
        import_module(name)
    return [kind for kind in _list_subclasses(Record) if kind.__module__ in names]


def _list_subclasses(kind: type[Record]) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        if hasattr(each, "keys"):
            yield each
        yield from _list_subclasses(each)


class KindIndex:
    """An index of record kinds by the prefix of their partition keys."""

    def __init__(self) -> None:
        self._by_beginning: dict[tuple[str, str], list[type[Record]]] = {}
        for kind in every_kind():
            begins = _key_prefix(kind.keys[kind.table.partition])
            self._by_beginning.setdefault((kind.table.name, begins), []).append(kind)

    def at(self, key: Key[Item]) -> type[Record] | None:
        among = self._by_beginning.get((key.table.name, _key_prefix(key.partition)), [])
        return next((kind for kind in among if kind.matches_key(key)), None)


def _key_prefix(partition: str | int) -> str:
    return "" if isinstance(partition, int) else partition.partition("#")[0].partition("{")[0]

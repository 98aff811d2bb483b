"""Every kind of record that the program knows."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import homeshelf
from homeshelf.table import Record

WITHOUT = ("homeshelf.__main__", "homeshelf.cli", "homeshelf.commands", "homeshelf.demo")
"""They keep nothing, and may name what somebody took out."""


def every_kind() -> list[type[Record]]:
    for name in _modules(homeshelf.__path__, "homeshelf."):
        import_module(name)
    return [kind for kind in _below(Record) if kind.__module__.startswith("homeshelf.")]


def _modules(path: list[str], prefix: str) -> Iterator[str]:
    for found in pkgutil.walk_packages(path, prefix):
        if not found.name.startswith(WITHOUT):
            yield found.name


def _below(kind: type[Record]) -> Iterator[type[Record]]:
    for each in kind.__subclasses__():
        if hasattr(each, "keys"):
            yield each
        yield from _below(each)

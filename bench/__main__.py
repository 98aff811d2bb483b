"""Runs the parts that are named, or all of them."""

import importlib
import pkgutil
import sys
from collections.abc import Callable

import bench
from bench.report import Report

Part = Callable[[Report], None]


def main(names: list[str]) -> None:
    parts = dict(_parts())
    if unknown := set(names) - parts.keys():
        sys.exit(f"There is no {', '.join(sorted(unknown))}; there is {', '.join(parts)}.")
    for name in names or parts:
        report = Report(name)
        parts[name](report)
        report.show()


def _parts() -> list[tuple[str, Part]]:
    names = sorted(module.name for module in pkgutil.iter_modules(bench.__path__))
    modules = [
        (name, importlib.import_module(f"bench.{name}")) for name in names if name != "__main__"
    ]
    return [(name, module.run) for name, module in modules if hasattr(module, "run")]


main(sys.argv[1:])

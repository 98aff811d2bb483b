"""Runs the parts that are named, or all of them; ends with 1 where a figure missed its bar."""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path

import bench
from bench.report import Report
from homeshelf import logs

Part = Callable[[Report], None]


def main(names: list[str]) -> int:
    parts = dict(_parts())
    if unknown := set(names) - parts.keys():
        print(f"There is no {', '.join(sorted(unknown))}; there is {', '.join(parts)}.")
        return 2
    missed: list[str] = []
    # Loggers keep their stream for good, so one stream serves all parts.
    with Path(os.devnull).open("w") as nowhere:
        logs.configure("info", nowhere)
        for name in names or parts:
            report = Report(name)
            parts[name](report)
            report.show()
            missed += [f"{name}: {what}" for what in report.missed]
    for each in missed:
        print(f"missed: {each}")
    return 1 if missed else 0


def _parts() -> list[tuple[str, Part]]:
    names = sorted(module.name for module in pkgutil.iter_modules(bench.__path__))
    modules = [
        (name, importlib.import_module(f"bench.{name}")) for name in names if name != "__main__"
    ]
    return [(name, module.run) for name, module in modules if hasattr(module, "run")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The order of the files of tests, where several processes take one after the other.

Those that start browsers or programs use both cores by themselves. They come evenly between the
others, so that few of them run at the same time and none is left alone at the end. The order is
that of their names backwards: what waits (`web`, `table`) before what does not (`accounts`).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

Files = dict[Path, list[pytest.Item]]

STARTERS = {"chromium", "subprocess", "served", "run", "run_module", "running_module", "Torture"}
SLOW_UNTIL = 0.9
"""The position from which only quick files follow."""


def in_order(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    files: Files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    places = dict(_places(files))
    return [item for path in sorted(files, key=places.__getitem__) for item in files[path]]


def _places(files: Files) -> Iterator[tuple[Path, tuple[float, Path]]]:
    kinds: dict[str, list[Path]] = {}
    for path, items in files.items():
        kinds.setdefault(_kind(path, items[0]), []).append(path)
    for kind, paths in kinds.items():
        until = 1.0 if kind == "quick" else SLOW_UNTIL
        for number, path in enumerate(sorted(paths, reverse=True)):
            yield path, ((number + 0.5) / len(paths) * until, path)


def _kind(path: Path, item: pytest.Item) -> str:
    if path.parent.name == "browser":
        return "browser"
    names: Mapping[str, object] = vars(getattr(item, "module", None) or object)
    return "programs" if names.keys() & STARTERS else "quick"

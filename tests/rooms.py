"""Find the imports between the top-level parts of the package, and those CONTRIBUTING.md allows."""

import ast
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "homeshelf"
SLICES = (
    "accounts",
    "identity",
    "families",
    "places",
    "notices",
    "scanning",
    "inventory",
    "shopping",
    "stocktaking",
    "suggestions",
    "taps",
    "shares",
    "books",
    "home",
)


def drawn() -> list[list[str]]:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.partition("## Who imports whom\n")[2].partition("\n## ")[0]
    return [line.split() for line in re.findall(r"^    (\w.*)$", section, re.MULTILINE)]


@cache
def imports() -> frozenset[tuple[str, str, str]]:
    return frozenset(
        (_room_of(path), room, str(path.relative_to(ROOT)))
        for path in PROGRAM.rglob("*.*")
        if path.suffix in (".py", ".html", ".txt", ".js", ".css")
        for room in _named(path)
        if room != _room_of(path)
    )


def named_by(room: str) -> set[str]:
    return {other for one, other, _ in imports() if one == room}


def naming(room: str) -> set[str]:
    """Return the slices that depend on this one, directly or indirectly."""
    found = {room}
    while more := {one for one, other, _ in imports() if other in found and one in SLICES} - found:
        found |= more
    return found - {room}


def _room_of(path: Path) -> str:
    return path.relative_to(PROGRAM).parts[0].removesuffix(".py")


def _named(path: Path) -> Iterator[str]:
    if path.suffix in (".js", ".css"):
        yield from _named_in_static(path)
        return
    if path.suffix != ".py":
        templates = re.findall(r'{%-? (?:extends|from|import|include) "(\w+)/', path.read_text())
        yield from (_room_of(next(PROGRAM.glob(f"**/{name}/templates"))) for name in templates)
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "homeshelf":
            yield from (alias.name for alias in node.names if not alias.name.startswith("__"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("homeshelf."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            names = (alias.name.split(".") for alias in node.names)
            yield from (name[1] for name in names if name[0] == "homeshelf" and name[1:])


def _named_in_static(path: Path) -> Iterator[str]:
    _, _, *folders, _ = path.relative_to(PROGRAM).parts
    for other in re.findall(r'(?:\bfrom|import\(?) ?"(\.[^"\n]+)"', path.read_text()):
        name = posixpath.normpath(posixpath.join(*folders, other))
        found = [_room_of(each) for each in PROGRAM.glob(f"*/static/{name}")]
        if not found:
            raise LookupError(f"{path} imports {name}, which is nowhere")
        yield from found

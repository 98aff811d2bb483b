"""The pages of the documentation, and the commands of the program."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer.main
from typer.core import TyperCommand, TyperGroup

from homeshelf import cli

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def path_in_tree(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(group: TyperGroup, path: str) -> Iterator[tuple[str, TyperCommand]]:
    for name, found in group.commands.items():
        if isinstance(found, TyperGroup):
            yield from commands(found, f"{path} {name}")
        elif isinstance(found, TyperCommand):
            yield f"{path} {name}", found


def all_commands() -> list[tuple[str, TyperCommand]]:
    found = typer.main.get_command(cli.app)
    assert isinstance(found, TyperGroup)
    return list(commands(found, "homeshelf"))


def is_valid_command(command: Sequence[str]) -> bool:
    """Return whether a command and its options exist, such as `homeshelf serve --port 8000`."""
    program, verb, *words = command
    found = dict(all_commands()).get(f"{program.rpartition('/')[2]} {verb}")
    options = {option for each in found.params for option in each.opts} if found else set()
    return found is not None and {word for word in words if word.startswith("--")} <= options

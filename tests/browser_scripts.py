"""The browser's scripts as Node.js runs them: the one tree that `web` and the slices make."""

from pathlib import Path

from homeshelf.web.assets import modules


def write_scripts(folder: Path) -> Path:
    """Write all of them below a folder, and return the one that they are in."""
    (folder / "package.json").write_text('{"type": "module"}')
    for name, text in modules().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "js"

"""Write the browser's scripts of `web` and all slices into one folder, for Node.js."""

from pathlib import Path

from homeshelf.web.assets import modules


def write_scripts(folder: Path) -> Path:
    """Write all scripts below a folder, and return their root."""
    (folder / "package.json").write_text('{"type": "module"}')
    for name, text in modules().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "js"

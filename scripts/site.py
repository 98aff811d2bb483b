"""`make docs` builds the documentation as a site.

The pages are those of `docs/`, with the changelog and other pages of the root beside them. The
sections of `docs/README.md` become the navigation.
"""

import logging
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).parents[1]
GATHERED = ROOT / ".cache" / "site"
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")


def main(folder: str) -> None:
    logging.basicConfig(format="%(message)s")
    gather()
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(ROOT / folder), nav=navigation()))


def gather() -> None:
    """Copy the pages into one folder, and let their links follow."""
    shutil.rmtree(GATHERED, ignore_errors=True)
    shutil.copytree(ROOT / "docs", GATHERED)
    (GATHERED / "README.md").rename(GATHERED / "index.md")
    for name in BESIDE:
        shutil.copy(ROOT / name, GATHERED)
    for page in GATHERED.rglob("*.md"):
        text = page.read_text()
        if page.name in BESIDE:
            text = text.replace("](docs/README.md", "](index.md").replace("](docs/", "](")
        else:
            text = re.sub(r"\]\(\.\./((?:\.\./)?)(?=[A-Z])", r"](\1", text)
        page.write_text(_with_files(text, page))


def navigation() -> list[dict[str, Any]]:
    """Return the sections of the index with their pages."""
    text = (GATHERED / "index.md").read_text()
    found: list[dict[str, Any]] = [{"Homeshelf": "index.md"}]
    for title, rows in re.findall(r"^([A-Z][\w ,]+):\n\n((?:- .*\n)+)", text, re.MULTILINE):
        pages = re.findall(r"^- \[([^\]]+)\]\(([^)]+)\)", rows, re.MULTILINE)
        found.append({title.split(",")[0]: [{name: path} for name, path in pages]})
    found.append({"What is new": "CHANGELOG.md"})
    return found


def _with_files(text: str, page: Path) -> str:
    """Copy the files of the tree that a page links to, and link to the copies."""

    def copied(link: re.Match[str]) -> str:
        source = ROOT / link[1]
        target = GATHERED / "files" / f"{source.name}.txt"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(source, target)
        up = "../" * (len(page.relative_to(GATHERED).parts) - 1)
        return f"]({up}files/{target.name})"

    return re.sub(r"\]\((?:\.\./)*((?:deploy|homeshelf|\.github)/[^)#]+|LICENSE)\)", copied, text)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""`make release VERSION=1.0.0` turns the current state of `main` into a release.

It requires a clean tree that passes `.ci/run`. Then it sets the version, dates the changelog's
section, commits both and tags the commit. Pushing the tag is left to you.
"""

import re
import subprocess
import sys
from pathlib import Path

from homeshelf import clock

UNRELEASED = "## Unreleased\n"
TESTS = ".ci/run"


class CannotRelease(Exception):
    """A sentence that says what to do first."""


def main(version: str = "") -> None:
    try:
        release(Path.cwd(), version)
    except CannotRelease as error:
        sys.exit(str(error))
    sys.stdout.write(f"Tagged v{version}. To publish it: git push origin main v{version}\n")


def release(tree: Path, version: str) -> None:
    init, changelog = tree / "homeshelf" / "__init__.py", tree / "CHANGELOG.md"
    code, changes = init.read_text(), changelog.read_text()
    current = re.search(r'__version__ = "(.+)"', code)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise CannotRelease("Name the version, as in: make release VERSION=1.2.0")
    if current is None or _parts(version) <= _parts(current[1]):
        raise CannotRelease(f"The version must be above {current and current[1]}.")
    if _git(tree, "status", "--porcelain"):
        raise CannotRelease("Commit or remove your changes first.")
    if _git(tree, "branch", "--show-current") != "main":
        raise CannotRelease("Switch to main first.")
    if _git(tree, "tag", "--list", f"v{version}"):
        raise CannotRelease(f"There is a tag v{version} already.")
    section = changes.partition(UNRELEASED)[2].partition("\n## ")[0]
    if not section.strip():
        raise CannotRelease("The changelog has nothing under Unreleased.")
    if subprocess.run([tree / TESTS], cwd=tree, check=False).returncode != 0:  # noqa: S603  # ours
        raise CannotRelease(f"{TESTS} failed: fix that first.")
    dated = f"{UNRELEASED}\n## {version} - {clock.now().date()}\n"
    changelog.write_text(changes.replace(UNRELEASED, dated, 1))
    init.write_text(code.replace(current[0], f'__version__ = "{version}"'))
    _git(tree, "commit", "--quiet", "--all", "--message", f"release: prepare {version}")
    _git(tree, "tag", "--annotate", f"v{version}", "--message", f"Homeshelf {version}")


def notes(changelog: str, version: str) -> str:
    """Return the changelog's section of a version, for the page of its release."""
    section = rf"^## {re.escape(version)} - .*?\n(.*?)(?=^## |\Z)"
    found = re.search(section, changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        raise CannotRelease(f"The changelog has no section {version}.")
    return found[1].strip() + "\n"


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _git(tree: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=tree, check=True, capture_output=True, text=True)  # noqa: S603  # ours
    return done.stdout.strip()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--notes"]:
        sys.stdout.write(notes(Path("CHANGELOG.md").read_text(), sys.argv[2].removeprefix("v")))
    else:
        main(*sys.argv[1:2])

"""What is installed is pinned by hash, and fetched from wherever the machine is set up to ask."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
DEPENDENCIES = ROOT / "docs" / "decisions" / "dependencies.md"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_pins_every_package_by_hash_and_names_no_address(lock: Path) -> None:
    text = lock.read_text()
    packages = re.split(r"\n(?=\S)", text.strip())
    assert all("==" in package and "--hash=sha256:" in package for package in packages)
    assert "://" not in text
    assert "--index" not in text


def test_what_runs_is_what_is_tested() -> None:
    assert pins("run.txt") <= pins("test.txt")


@pytest.mark.parametrize("folder", ["tests/servers", "scripts/js"])
def test_what_npm_fetches_is_pinned_by_hash_and_names_no_address(folder: str) -> None:
    text = (ROOT / folder / "package-lock.json").read_text()
    packages = {name: each for name, each in json.loads(text)["packages"].items() if name}
    assert packages
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert "://" not in text


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    named = {*project["dependencies"], *(name for extra in extras for name in extra)}
    reasons = re.findall(r"^\| `([\w-]+)` \| \S", DEPENDENCIES.read_text(), re.MULTILINE)
    assert sorted(reasons) == sorted(named - {"homeshelf[install]"})


def pins(lock: str) -> set[str]:
    text = (ROOT / "requirements" / lock).read_text()
    return set(re.findall(r"^\S+==\S+", text, re.MULTILINE))

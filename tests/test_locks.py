"""Test that every requirement is pinned by hash."""

import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
DEPENDENCIES = ROOT / "docs" / "decisions" / "dependencies.md"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_lock_file_pins_every_package_by_hash_without_an_index(lock: Path) -> None:
    text = lock.read_text()
    packages = re.split(r"\n(?=\S)", text.strip())
    assert all("==" in package and "--hash=sha256:" in package for package in packages)
    assert "://" not in text
    assert "--index" not in text


def test_run_and_test_requirements_have_the_same_versions() -> None:
    assert pins("run.txt") <= pins("test.txt")


@pytest.mark.parametrize("folder", ["tests/servers", "scripts/js"])
def test_npm_packages_are_pinned_by_hash_without_a_registry(folder: str) -> None:
    text = (ROOT / folder / "package-lock.json").read_text()
    packages = {name: each for name, each in json.loads(text)["packages"].items() if name}
    assert packages
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert "://" not in text


def test_every_dependency_has_a_documented_reason() -> None:
    reasons = re.findall(r"^\| `([\w-]+)` \| \S", DEPENDENCIES.read_text(), re.MULTILINE)
    assert sorted(reasons) == sorted(re.split(r"[^\w-]", each)[0] for each in dependencies())


def test_every_dependency_is_bounded_by_its_lowest_locked_minor_version() -> None:
    pinned = r"^([\w-]+)==(0\.0\.\d+|\d+\.\d+)"  # 0.0.33 has no minor version to speak of
    lowest: dict[str, str] = {}
    locked = lock_text("docs.txt") + lock_text("test.txt")
    for name, version in re.findall(pinned, locked, re.MULTILINE):
        lowest[name] = min(lowest.get(name, version), version, key=_numbers)
    bounds = {f"{name}>={version}" for name, version in lowest.items()}
    assert [each for each in dependencies() if each not in bounds] == []


def dependencies() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    return [each.partition(";")[0] for each in named if not each.startswith("homeshelf[")]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def lock_text(lock: str) -> str:
    return (ROOT / "requirements" / lock).read_text()


def pins(lock: str) -> set[str]:
    return set(re.findall(r"^\S+==\S+", lock_text(lock), re.MULTILINE))

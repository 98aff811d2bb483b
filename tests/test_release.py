"""Test `make release`: the reasons to refuse, and the commit and tag that it makes."""

import subprocess
from pathlib import Path

import pytest

from homeshelf import clock
from scripts.release import CannotRelease, notes, release

CHANGELOG = "# Changelog\n\n## Unreleased\n\n- Tea.\n\n## 1.0.0 - 2026-01-01\n\n- Milk.\n"


def git(tree: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=tree, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for part in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{part}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{part}_EMAIL", "ada@example.com")
    (tmp_path / "homeshelf").mkdir()
    (tmp_path / "homeshelf" / "__init__.py").write_text('"""Doc."""\n\n__version__ = "1.0.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    (tmp_path / ".ci").mkdir()
    tests = tmp_path / ".ci" / "run"
    tests.write_text("#!/bin/sh\nexit 0\n")
    tests.chmod(0o755)
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    return tmp_path


def test_release_sets_version_dates_changelog_and_tags(tree: Path) -> None:
    release(tree, "1.1.0")
    assert '__version__ = "1.1.0"' in (tree / "homeshelf" / "__init__.py").read_text()
    dated = f"## Unreleased\n\n## 1.1.0 - {clock.now().date()}\n\n- Tea.\n\n## 1.0.0 - 2026-01-01\n"
    assert dated in (tree / "CHANGELOG.md").read_text()
    assert (
        git(tree, "log", "-1", "--format=%s %D")
        == "release: prepare 1.1.0 HEAD -> main, tag: v1.1.0"
    )
    assert git(tree, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("", "Name the version"),
        ("1.1", "Name the version"),
        ("1.0.0", "above 1.0.0"),
        ("0.9.0", "above 1.0.0"),
    ],
)
def test_release_refuses_other_versions(tree: Path, version: str, sentence: str) -> None:
    with pytest.raises(CannotRelease, match=sentence):
        release(tree, version)


def test_release_refuses_unfit_trees_and_changes_nothing(tree: Path) -> None:
    before = git(tree, "rev-parse", "HEAD")
    (tree / "new.txt").touch()
    with pytest.raises(CannotRelease, match="Commit or remove"):
        release(tree, "1.1.0")
    (tree / "new.txt").unlink()
    git(tree, "tag", "v1.1.0")
    with pytest.raises(CannotRelease, match=r"tag v1\.1\.0 already"):
        release(tree, "1.1.0")
    git(tree, "switch", "--quiet", "--create", "idea")
    with pytest.raises(CannotRelease, match="Switch to main"):
        release(tree, "1.2.0")
    git(tree, "switch", "--quiet", "main")
    (tree / ".ci" / "run").write_text("#!/bin/sh\nexit 1\n")
    git(tree, "commit", "--quiet", "--all", "--message", "break")
    with pytest.raises(CannotRelease, match="failed"):
        release(tree, "1.2.0")
    assert git(tree, "rev-parse", "HEAD~1") == before
    assert git(tree, "status", "--porcelain") == git(tree, "tag", "--list", "v1.2.0") == ""


def test_release_refuses_empty_changelog(tree: Path) -> None:
    (tree / "CHANGELOG.md").write_text(CHANGELOG.replace("- Tea.\n", ""))
    git(tree, "commit", "--quiet", "--all", "--message", "empty")
    with pytest.raises(CannotRelease, match="nothing under Unreleased"):
        release(tree, "1.1.0")


def test_release_notes_are_the_section_of_the_version() -> None:
    assert notes(CHANGELOG, "1.0.0") == "- Milk.\n"
    with pytest.raises(CannotRelease):
        notes(CHANGELOG, "1.0")

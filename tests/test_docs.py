"""Test that samples in the documentation are real, and that its links work."""

import re
from collections import Counter
from pathlib import Path

import pytest

from homeshelf.config import declared_settings
from tests.documentation import PAGES, all_commands, path_in_tree

ROOT = Path(__file__).parents[1]
SAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/table.md").read_text(), re.DOTALL)


@pytest.mark.parametrize(
    ("sample", "source"),
    [(SAMPLES[0], "homeshelf/shopping/model.py"), (SAMPLES[1], "homeshelf/shopping/store.py")],
    ids=["the record", "its questions"],
)
def test_sample_of_record_and_queries_matches_code(sample: str, source: str) -> None:
    text = (ROOT / source).read_text()
    for part in sample.strip().split("\n\n\n"):
        assert part in text


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_internal_link_has_a_target(page: Path) -> None:
    for target, heading in links_of(page):
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), target
        assert not heading or heading in anchors_of(found), f"{target}#{heading}"


def links_of(page: Path) -> list[tuple[str, str]]:
    """Return the file and the heading of each link within the documentation."""
    found = re.findall(r"\]\(([^)\s#]*)#?([^)\s]*)\)", without_samples(page))
    pictures = re.findall(r"(?:src|srcset)=\"([^\"]+)\"", without_samples(page))
    return [link for link in [*found, *((name, "") for name in pictures)] if "://" not in link[0]]


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of headings, as code hosts name them."""
    seen: Counter[str] = Counter()
    anchors = set()
    for heading in re.findall(r"^#+ (.+)$", without_samples(page), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return anchors


def without_samples(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def test_index_lists_every_document() -> None:
    index = (ROOT / "docs/README.md").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        path = str(page.relative_to(ROOT / "docs"))
        assert path == "README.md" or f"]({path})" in index, path


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_documented_setting_exists(page: Path) -> None:
    known = {setting.variable for setting in declared_settings().values()}
    assert set(re.findall(r"HOMESHELF_\w+", page.read_text())) <= known


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_documented_command_is_valid(page: Path) -> None:
    known = dict(all_commands())
    for words in typed_on(page, "homeshelf"):
        path = " ".join(words[:3] if words[1] in ("share", "user", "tables", "key") else words[:2])
        assert path in known
        options = {option for each in known[path].params for option in each.opts}
        assert {word for word in words if word.startswith("--")} <= options, words


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_documented_make_target_exists(page: Path) -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for words in typed_on(page, "make"):
        assert words[3 if words[1] == "-C" else 1] in targets, words


@pytest.mark.parametrize("page", PAGES, ids=path_in_tree)
def test_every_documented_file_exists(page: Path) -> None:
    folders = "homeshelf|tests|scripts|bench|deploy|docs|requirements"
    for path in re.findall(rf"`((?:{folders})/[^`\s]*)`", page.read_text()):
        assert any(ROOT.glob(path.rstrip("/"))), path


def typed_on(page: Path, command: str) -> list[list[str]]:
    """Return the words of each use of a command on a page, without general mentions."""
    text = page.read_text().replace("\\\n", "")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    indented = re.findall(r"^    (\S.*)$", text, re.MULTILINE)
    lines = "\n".join([*blocks, *indented, *re.findall(r"`([^`\n]+)`", without_samples(page))])
    before = r"(?:sudo |ExecStart=|[A-Z_]+=\S+ )*(?:/\S+/)?"
    found = re.findall(rf"^{before}({command} [a-z-].*)$", lines.replace("&& ", "\n"), re.MULTILINE)
    return [line.split() for line in found]


def test_readme_commands_exist() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)

"""Prose that stays true: samples are the program's own text, links lead somewhere."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/table.md").read_text(), re.DOTALL)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    ("sample", "source"),
    [(SAMPLES[0], "homeshelf/shopping/model.py"), (SAMPLES[1], "homeshelf/shopping/store.py")],
    ids=["the record", "its questions"],
)
def test_the_record_and_its_questions_are_shown_as_they_are(sample: str, source: str) -> None:
    text = (ROOT / source).read_text()
    for part in sample.strip().split("\n\n\n"):
        assert part in text


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_within_the_documents_leads_somewhere(page: Path) -> None:
    for target, heading in links_of(page):
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), target
        assert not heading or heading in anchors_of(found), f"{target}#{heading}"


def links_of(page: Path) -> list[tuple[str, str]]:
    """The file and the heading of each link that stays within the documents."""
    found = re.findall(r"\]\(([^)\s#]*)#?([^)\s]*)\)", without_samples(page))
    pictures = re.findall(r"(?:src|srcset)=\"([^\"]+)\"", without_samples(page))
    return [link for link in [*found, *((name, "") for name in pictures)] if "://" not in link[0]]


def anchors_of(page: Path) -> set[str]:
    """What headings are called in links, as code hosts name them."""
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


def test_the_index_lists_every_document() -> None:
    index = (ROOT / "docs/README.md").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        path = str(page.relative_to(ROOT / "docs"))
        assert path == "README.md" or f"]({path})" in index, path


def test_the_two_commands_of_the_readme_exist() -> None:
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)

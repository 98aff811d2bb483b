"""Test that the glossary covers every record and every menu."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from homeshelf.accounts.model import Account, Session
from homeshelf.app import create_app
from homeshelf.config import read_settings
from homeshelf.table import HELPER, Record
from scripts import catalogues
from scripts.records_page import every_record
from tests.routes import every_route

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "glossary.md").read_text()
PATHS = {
    route.path.removeprefix("/api/v1")
    for route in every_route(create_app(read_settings({})))
    if not route.is_page and not route.path.endswith("/openapi.json")
}
SEEN = [each for each in every_record() if each.table != HELPER] + [Account, Session]
"""The records of the helper table that people see."""


@pytest.mark.parametrize("record", SEEN, ids=lambda record: record.__name__)
def test_glossary_has_every_visible_record(record: type[Record]) -> None:
    assert f"`{record.__name__}`" in PAGE


@pytest.mark.parametrize("path", sorted({path.split("/")[1] for path in PATHS}))
def test_glossary_has_every_api_collection(path: str) -> None:
    assert re.search(rf"`(\w+ )?/{path}[`/]", PAGE)


def test_paths_and_records_in_the_glossary_exist() -> None:
    named = re.findall(r"`(?:[A-Z]+ )?(/[^`]*)`", PAGE.partition("## One word")[0])
    below = {path[: at.start()] for path in PATHS for at in re.finditer("/|$", path)}
    assert set(named) - {"/api/v1"} <= below
    records = {each.__name__ for each in every_record()}
    assert set(re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", PAGE)) <= records


def test_code_uses_no_outdated_words() -> None:
    archaic = re.compile(r"\b(whoever|whosoever|shall|whence|hitherto|lest|ere)\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "homeshelf").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if archaic.search(line)
    ]
    assert found == []


def test_words_in_the_glossary_are_on_pages() -> None:
    code = ROOT / "homeshelf"
    templates = [path for path in code.rglob("*.html") if path.name != "design.html"]
    pages = "\n".join(path.read_text() for path in (*templates, *code.rglob("*pages.py")))
    for word in re.findall(r"\*\*(.+?)\*\*", PAGE.partition("\n## ")[2]):
        assert word in pages, word


ROLES = re.compile(r"\b(admins?|suggesters?)\b", re.IGNORECASE)
FOR_PROGRAMS = {
    "Role must be admin or suggester.",
    "Invalid reviewer ID or not an admin",
    "Invalid suggester ID or not a suggester",
}
FOR_DEVELOPERS = {"api.md", "pages.md", "records.md", "table.md", "glossary.md"}


def test_people_read_of_parents_and_children() -> None:
    said = [part for each in catalogues.template() for part in _parts(each.id)]
    assert len(said) > 500
    assert {text for text in said if _names_a_role(text)} == FOR_PROGRAMS


def test_users_read_of_parents_and_children_in_the_documents_too() -> None:
    pages = [path for path in (ROOT / "docs").glob("*.md") if path.name not in FOR_DEVELOPERS]
    found = [
        f"{path.name}: {line}"
        for path in (*pages, ROOT / "README.md", ROOT / "CHANGELOG.md")
        for line in path.read_text().splitlines()
        if _names_a_role(re.sub("`.*?`", "", line))
    ]
    assert found == []


def _parts(id_: str | Sequence[str]) -> Sequence[str]:
    return (id_,) if isinstance(id_, str) else id_


def _names_a_role(text: str) -> bool:
    return ROLES.search(text.replace("admin passcode", "")) is not None

"""A language that says everything in English with other letters: what is plain is in no catalogue.

    async def test_a_page(pseudo: Language, home: Home) -> None:
        page = await home.admin.client.get("/stock", headers={"Accept-Language": pseudo.code})

It goes by the code of Greek, so days and numbers are written without our letters too.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from homeshelf import sentences
from homeshelf.languages import LANGUAGES, Language, best_language
from scripts import catalogues

PSEUDO = Language("el", "Ελληνικά")
_OURS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OTHER = "åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞǪŔŠŢÛṼŴẊÝŽ"
_LETTERS = str.maketrans(_OURS, _OTHER)
_KEPT = re.compile(r"(%\(\w+\)s|%%|\{\w+\}|<[^>]*>|&\w+;)")


def accented(text: str) -> str:
    parts = _KEPT.split(text)
    return "".join(
        part if place % 2 else part.translate(_LETTERS) for place, part in enumerate(parts)
    )


@pytest.fixture(scope="session")
def all_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("catalogues")
    for path in sentences.CATALOGUES.glob("*.po"):
        (folder / path.name).symlink_to(path)
    _write_catalogue(folder)
    return folder


@pytest.fixture
def pseudo(all_catalogues: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Language]:
    monkeypatch.setattr(sentences, "CATALOGUES", all_catalogues)
    monkeypatch.setitem(LANGUAGES, PSEUDO.code, PSEUDO)
    best_language.cache_clear()
    yield PSEUDO
    best_language.cache_clear()


def _write_catalogue(folder: Path) -> None:
    catalog = Catalog(PSEUDO.code)
    for message in catalogues.read(catalogues.TEMPLATE):
        if isinstance(message.id, str):
            catalog.add(message.id, accented(message.id))
        else:
            catalog.add(message.id, [accented(form) for form in message.id])
    (folder / f"{PSEUDO.code}.po").write_text(catalogues.serialize(catalog))


SPOKEN = {"alt", "aria-description", "aria-label", "data-title", "label", "placeholder", "title"}
UNSEEN = {"script", "style"}
NAMES = re.compile(
    r"Homeshelf|homeshelf user reset-password|https?://\S+|\S+@\S+|home\.test\S*|/s\b"
    r"|\b(EUR|Letter|a test|caviar)\b|python-httpx/\S+|[a-z]{3}-[a-z]{3}-\d{5}"
)
"""The names, addresses and codes that no language translates."""
VALUES = re.compile(r"\{\w+\}")
LETTERS = re.compile(r"[A-Za-z]{2,}[^<]*")


def plain_in(html: str) -> list[str]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    found = (VALUES.sub("", NAMES.sub("", " ".join(text.split()))) for text in reader.found)
    return [text for text in found if LETTERS.search(text)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unseen = 0
        self._others = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._unseen += tag in UNSEEN
        if tag != "html" and ("lang" in values or values.get("id") == "timeZone"):
            self._others = tag
        if values.get("name") == "description":
            self.found.append(values.get("content", ""))
        for name, value in values.items():
            if name in SPOKEN:
                self.found.append(value)
            elif tag == "template" and name.startswith("data-"):
                self.found.append(re.sub(r'"(zero|one|two|few|many|other)": ', "", value))

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in UNSEEN
        if tag == self._others:
            self._others = ""

    def handle_data(self, data: str) -> None:
        if not self._unseen and not self._others:
            self.found.append(data)

"""A language that says everything in English with other letters: what is plain is in no catalogue.

    async def test_a_page(pseudo: Language, home: Home) -> None:
        page = await home.admin.client.get("/stock", headers={"Accept-Language": pseudo.code})

It goes by the code of Greek, so days and numbers are written without our letters too.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from homeshelf import sentences
from homeshelf.languages import LANGUAGES, Language, wanted
from scripts import catalogues

PSEUDO = Language("el", "Ελληνικά")
_OURS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OTHER = "åƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞǪŔŠŢÛṼŴẊÝŽ"
_LETTERS = str.maketrans(_OURS, _OTHER)
_KEPT = re.compile(r"(%\(\w+\)s|%%|\{\w+\}|<[^>]*>|&\w+;)")
"""Values, and markup."""


def accented(text: str) -> str:
    parts = _KEPT.split(text)
    return "".join(
        part if place % 2 else part.translate(_LETTERS) for place, part in enumerate(parts)
    )


@pytest.fixture(scope="session")
def all_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those that we have, and this one."""
    folder = tmp_path_factory.mktemp("catalogues")
    for path in sentences.CATALOGUES.glob("*.po"):
        (folder / path.name).symlink_to(path)
    _write_catalogue(folder)
    return folder


@pytest.fixture
def pseudo(all_catalogues: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Language]:
    """The application speaks it: whoever begins one asks for this first."""
    monkeypatch.setattr(sentences, "CATALOGUES", all_catalogues)
    monkeypatch.setitem(LANGUAGES, PSEUDO.code, PSEUDO)
    wanted.cache_clear()
    yield PSEUDO
    wanted.cache_clear()


def _write_catalogue(folder: Path) -> None:
    catalog = Catalog(PSEUDO.code)
    for message in catalogues.read(catalogues.TEMPLATE):
        if isinstance(message.id, str):
            catalog.add(message.id, accented(message.id))
        else:
            catalog.add(message.id, [accented(form) for form in message.id])
    (folder / f"{PSEUDO.code}.po").write_text(catalogues.written(catalog))

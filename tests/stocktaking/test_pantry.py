"""The ready-made pantry of each language."""

import pytest

from homeshelf.languages import LANGUAGES
from homeshelf.pictures import picture_of
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.bodies import MAX_NAME, MAX_PLACE, MAX_TICKED
from homeshelf.stocktaking.lines import Line, parse_lines
from homeshelf.stocktaking.pantry import FOLDER, pantry


def test_each_language_has_a_pantry() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pantry_items_are_unique(language: str) -> None:
    shelves = pantry(language)
    things = [fold_name(thing) for shelf in shelves for thing in shelf.items]
    assert 75 <= len(set(things)) == len(things) < MAX_TICKED
    assert len({fold_name(shelf.place) for shelf in shelves}) == len(shelves) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_pantry_item_has_picture_and_parses_unchanged(language: str) -> None:
    for shelf in pantry(language):
        assert 0 < len(shelf.place) <= MAX_PLACE
        for thing in shelf.items:
            assert picture_of(thing), thing
            assert 0 < len(thing) <= MAX_NAME
            assert parse_lines(f"{thing}, {shelf.place}") == [Line(thing, place=shelf.place)]

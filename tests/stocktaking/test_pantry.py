"""The ready-made pantry: in each language, with pictures, and understood as any other line."""

import pytest

from homeshelf.languages import LANGUAGES
from homeshelf.pictures import picture_of
from homeshelf.shopping.entry_parser import fold_name
from homeshelf.stocktaking.bodies import LONGEST_NAME, LONGEST_PLACE, MOST_TICKED
from homeshelf.stocktaking.lines import Line, lines_in
from homeshelf.stocktaking.pantry import FOLDER, pantry


def test_there_is_one_in_each_language() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_what_most_people_have_each_once(language: str) -> None:
    shelves = pantry(language)
    things = [fold_name(thing) for shelf in shelves for thing in shelf.things]
    assert 75 <= len(set(things)) == len(things) < MOST_TICKED
    assert len({fold_name(shelf.place) for shelf in shelves}) == len(shelves) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_has_a_picture_and_is_understood_as_it_stands(language: str) -> None:
    for shelf in pantry(language):
        assert 0 < len(shelf.place) <= LONGEST_PLACE
        for thing in shelf.things:
            assert picture_of(thing), thing
            assert 0 < len(thing) <= LONGEST_NAME
            assert lines_in(f"{thing}, {shelf.place}") == [Line(thing, place=shelf.place)]

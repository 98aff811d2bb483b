"""Names in any language match a picture."""

import time
from pathlib import Path

import emoji
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.pictures import is_one_emoji, picture_of, shown_picture
from homeshelf.pictures.word_index import FOLDER, LANGUAGES, word_index

LINES = (Path(__file__).parent / "household.txt").read_text().splitlines()[1:]
HOUSEHOLD = {picture: said.split(", ") for picture, _, said in (x.partition(" ") for x in LINES)}
THINGS = [name for called in HOUSEHOLD.values() for name in called]


@pytest.mark.parametrize("picture", HOUSEHOLD)
def test_household_names_match_expected_pictures(picture: str) -> None:
    assert {name: picture_of(name) for name in HOUSEHOLD[picture]} == dict.fromkeys(
        HOUSEHOLD[picture], picture
    )


def test_sample_of_names_is_large_enough() -> None:
    assert len(set(THINGS)) >= 300


@pytest.mark.parametrize(
    "name", ["", "   ", "42", "?!", "Qwrtz", "Preis", "Frost", "Marzipan", "Schlemiel"]
)
def test_unknown_name_has_no_picture(name: str) -> None:
    assert picture_of(name) == ""


@pytest.mark.parametrize(
    ("name", "picture"),
    [
        ("👨‍👩‍👧‍👦 games", "👨‍👩‍👧‍👦"),
        (" 🥛 butter", "🥛"),
        ("🇸🇪 cheese", "🇸🇪"),
        ("👍🏽", "👍🏽"),
        ("☕️ beans", "☕"),
        ("1️⃣ thing", "1️⃣"),
        ("milk 🦄", "🥛"),
    ],
)
def test_leading_emoji_of_name_is_its_picture(name: str, picture: str) -> None:
    assert picture_of(name) == picture


@pytest.mark.parametrize("name", ["smile", "Lachendes Gesicht", "Germany", "clock", "man"])
def test_names_never_match_faces_flags_people_or_clocks(name: str) -> None:
    assert picture_of(name) == ""


@pytest.mark.parametrize(
    ("name", "picture"),
    [("Screwdriver", "🪛"), ("Akkordeon", "🪗"), ("télescope", "🔭"), ("paraguas", "☂️")],
)
def test_unicode_names_match_without_own_words(name: str, picture: str) -> None:
    ours = "".join((FOLDER / f"{language}.txt").read_text() for language in LANGUAGES)
    assert name.casefold() not in ours.casefold()
    assert picture_of(name) == picture


def test_whole_name_wins_over_last_word() -> None:
    assert picture_of("peanut butter") == picture_of("peanut") != picture_of("butter")
    assert picture_of("Glühbirne") != picture_of("Birne")


def test_last_word_wins_over_other_words() -> None:
    assert picture_of("Apple cheese cake") == picture_of("cake")
    assert picture_of("Butter Milch Zwieback") == picture_of("Zwieback")
    assert picture_of("Tomaten aus der Region") == picture_of("Tomaten")


def test_noun_wins_over_its_attributes() -> None:
    assert picture_of("jus de pomme") == picture_of("jus") != picture_of("pomme")
    assert picture_of("Milch mit Kakao") == picture_of("Milch") != picture_of("Kakao")
    assert picture_of("bottle of milk") == picture_of("milk")


def test_ending_of_compound_wins_over_beginning() -> None:
    assert picture_of("Apfelkuchen") == picture_of("Kuchen") != picture_of("Apfel")
    assert picture_of("Tomatenquetsche") == picture_of("Tomate")


def test_first_language_wins_for_shared_word() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "sv", "ar")
    assert picture_of("Chips") == "🍟"  # which are crisps in German
    assert picture_of("Pommes") == "🍟"  # which are apples in French


def test_own_word_wins_over_unicode_name() -> None:
    assert "🥧" in emoji.emojize(":kuchen:", language="de")
    assert picture_of("Kuchen") == "🍰"


def test_chosen_picture_wins() -> None:
    assert shown_picture("Milk", "🐄") == "🐄"
    assert shown_picture("Milk", None) == shown_picture("Milk") == picture_of("Milk")


def test_every_picture_is_one_complete_emoji() -> None:
    for picture in set(word_index().pictures.values()):
        assert is_one_emoji(picture), picture
        assert not is_one_emoji(f"{picture}\ufe0f"), f"{picture} lacks its variation selector"


def test_every_picture_exists_on_older_phones() -> None:
    newest = {picture: emoji.EMOJI_DATA[picture]["E"] for picture in word_index().pictures.values()}
    assert {picture: since for picture, since in newest.items() if since > 15} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_word_list_line_has_picture_and_words(language: str) -> None:
    for line in (FOLDER / f"{language}.txt").read_text().splitlines():
        picture, _, said = line.partition(" ")
        assert is_one_emoji(picture), line
        assert all(name.strip() for name in said.split(",")), line


@given(st.text(max_size=100) | st.lists(st.sampled_from(THINGS)).map(" ".join))
def test_any_text_has_at_most_one_picture(name: str) -> None:
    found = picture_of(name)
    assert found == "" or is_one_emoji(found)
    assert picture_of(name) == found


def test_repeated_lookups_are_cached() -> None:
    things = [f"{name} {number}" for number, name in enumerate(THINGS[:300])]
    picture_of("milk")
    began = time.process_time()
    first = [picture_of(name) for name in things]
    assert time.process_time() - began < 0.1
    looked_up = picture_of.cache_info().misses
    assert [picture_of(name) for name in things] == first
    assert picture_of.cache_info().misses == looked_up

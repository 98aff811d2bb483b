"""Everything has a picture: of what it is, whatever language it is written in."""

import time
from pathlib import Path

import emoji
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.pictures import is_one_emoji, picture_of, shown_picture
from homeshelf.pictures.names import FOLDER, LANGUAGES, names

LINES = (Path(__file__).parent / "household.txt").read_text().splitlines()[1:]
HOUSEHOLD = {picture: said.split(", ") for picture, _, said in (x.partition(" ") for x in LINES)}
THINGS = [name for called in HOUSEHOLD.values() for name in called]


@pytest.mark.parametrize("picture", HOUSEHOLD)
def test_things_of_a_household_look_like_what_they_are(picture: str) -> None:
    assert {name: picture_of(name) for name in HOUSEHOLD[picture]} == dict.fromkeys(
        HOUSEHOLD[picture], picture
    )


def test_there_are_enough_of_them_to_mean_something() -> None:
    assert len(set(THINGS)) >= 300


@pytest.mark.parametrize(
    "name", ["", "   ", "42", "?!", "Qwrtz", "Preis", "Frost", "Marzipan", "Schlemiel"]
)
def test_what_nothing_fits_has_none(name: str) -> None:
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
def test_a_name_that_begins_with_an_emoji_has_the_whole_of_it(name: str, picture: str) -> None:
    assert picture_of(name) == picture


@pytest.mark.parametrize("name", ["smile", "Lachendes Gesicht", "Germany", "clock", "man"])
def test_faces_flags_people_and_clocks_are_no_things(name: str) -> None:
    assert picture_of(name) == ""


@pytest.mark.parametrize(
    ("name", "picture"),
    [("Screwdriver", "🪛"), ("Akkordeon", "🪗"), ("télescope", "🔭"), ("paraguas", "☂️")],
)
def test_what_unicode_has_a_name_for_needs_none_of_ours(name: str, picture: str) -> None:
    ours = "".join((FOLDER / f"{language}.txt").read_text() for language in LANGUAGES)
    assert name.casefold() not in ours.casefold()
    assert picture_of(name) == picture


def test_the_whole_name_counts_before_its_last_word() -> None:
    assert picture_of("peanut butter") == picture_of("peanut") != picture_of("butter")
    assert picture_of("Glühbirne") != picture_of("Birne")


def test_the_last_word_counts_before_the_others() -> None:
    assert picture_of("Apple cheese cake") == picture_of("cake")
    assert picture_of("Butter Milch Zwieback") == picture_of("Zwieback")
    assert picture_of("Tomaten aus der Region") == picture_of("Tomaten")


def test_what_a_thing_is_made_of_comes_after_what_it_is() -> None:
    assert picture_of("jus de pomme") == picture_of("jus") != picture_of("pomme")
    assert picture_of("Milch mit Kakao") == picture_of("Milch") != picture_of("Kakao")
    assert picture_of("bottle of milk") == picture_of("milk")


def test_a_compound_word_is_what_it_ends_with_and_else_what_it_begins_with() -> None:
    assert picture_of("Apfelkuchen") == picture_of("Kuchen") != picture_of("Apfel")
    assert picture_of("Tomatenquetsche") == picture_of("Tomate")


def test_a_word_in_two_languages_means_what_the_first_of_them_says() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "sv", "ar")
    assert picture_of("Chips") == "🍟"  # which are crisps in German
    assert picture_of("Pommes") == "🍟"  # which are apples in French


def test_our_word_counts_before_the_name_that_unicode_has() -> None:
    assert "🥧" in emoji.emojize(":kuchen:", language="de")
    assert picture_of("Kuchen") == "🍰"


def test_what_somebody_chose_wins() -> None:
    assert shown_picture("Milk", "🐄") == "🐄"
    assert shown_picture("Milk", None) == shown_picture("Milk") == picture_of("Milk")


def test_every_picture_is_one_emoji_in_full() -> None:
    for picture in set(names().pictures.values()):
        assert is_one_emoji(picture), picture
        assert not is_one_emoji(f"{picture}\ufe0f"), f"{picture} lacks its variation selector"


def test_phones_of_some_years_ago_know_every_picture() -> None:
    newest = {picture: emoji.EMOJI_DATA[picture]["E"] for picture in names().pictures.values()}
    assert {picture: since for picture, since in newest.items() if since > 14} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_line_of_ours_has_a_picture_and_words(language: str) -> None:
    for line in (FOLDER / f"{language}.txt").read_text().splitlines():
        picture, _, said = line.partition(" ")
        assert is_one_emoji(picture), line
        assert all(name.strip() for name in said.split(",")), line


@given(st.text(max_size=100) | st.lists(st.sampled_from(THINGS)).map(" ".join))
def test_whatever_is_typed_has_one_picture_or_none(name: str) -> None:
    found = picture_of(name)
    assert found == "" or is_one_emoji(found)
    assert picture_of(name) == found


def test_a_long_list_takes_a_moment_the_first_time_and_nothing_after_it() -> None:
    things = [f"{name} {number}" for number, name in enumerate(THINGS[:300])]
    picture_of("milk")
    began = time.process_time()
    first = [picture_of(name) for name in things]
    assert time.process_time() - began < 0.1
    looked_up = picture_of.cache_info().misses
    assert [picture_of(name) for name in things] == first
    assert picture_of.cache_info().misses == looked_up

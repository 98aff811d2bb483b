"""Test the parser of typed entries."""

import re
from collections.abc import Iterator
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.shopping import units
from homeshelf.shopping.entry_parser import (
    MAX_PARSED_LENGTH,
    ParsedEntry,
    fold_name,
    parse_entries,
    split_entries,
)
from tests.shopping.typed_cases import LANGUAGES, Case, load_phrases, load_rules

OF = r"of|von|vom|dela|delos|delas|del|des|du|de|av|من|d['\u2019]|del['\u2019]"
NAME_WORDS = ["Tee", "miel", "Öl", "صابون", "kaffe", "Zwieback", "œufs"]
NAMES = st.lists(st.sampled_from(NAME_WORDS), min_size=1, max_size=4).map(" ".join)
EASTERN = ["\u0662", "\u0661\u066b\u0665", "\u0661\u060c\u0665", "\u0665\u0660\u0660"]
FIGURES = st.sampled_from(
    ["1", "12", "500", "1,5", "0,75", "1.5", "\u00bd", "1\u00bd", "1/2", "2-3", "1 000", *EASTERN]
)
NUMBERS = st.sampled_from(sorted(units.NUMBERS))
LONG_UNITS = st.sampled_from(sorted(units.UNITS - units.SHORT_MEASURES - units.PIECES))
OFS = st.sampled_from(["", "of ", "von ", "de ", "de la ", "del ", "d'", "d\u2019", "av ", "من "])
WORDS = sorted(units.UNITS_OF | units.NUMBERS | units.NO_CONTENTS | units.OF)
MARKS = [
    *("2", ", 44", "(500 g)", "1,5", "\u00bd", "\u0662", "1-", "-", "3.", "x2", "2x"),
    *(",", "\u060c", "\n", ";"),
]
TYPED = st.lists(
    st.sampled_from(WORDS)
    | st.sampled_from(MARKS)
    | st.text("abxß é\u0639\u06622,.-'%", min_size=1, max_size=8),
    max_size=12,
).map(" ".join)


@pytest.mark.parametrize("case", load_rules(), ids=lambda case: case["text"][:40])
def test_typed_text_is_parsed(case: Case) -> None:
    known = {fold_name(name) for name in case["known"]}
    assert parse_entries(case["text"], known) == [
        ParsedEntry(**entry) for entry in case["expected"]
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_of_each_language_are_parsed(language: str) -> None:
    said = load_phrases(language)
    assert len(said) > 40
    for case in said:
        assert parse_entries(case["text"]) == [ParsedEntry(**entry) for entry in case["expected"]]


@pytest.mark.parametrize("between", [", ", "\n", ";", "\n- ", "\u060c ", "\n• "])
@pytest.mark.parametrize("language", LANGUAGES)
def test_joined_phrases_are_parsed_like_single_lines(language: str, between: str) -> None:
    said = load_phrases(language)
    found = parse_entries(between.join(case["text"] for case in said))
    assert found == [ParsedEntry(**entry) for case in said for entry in case["expected"]]


@given(st.text(), st.sets(st.text()))
def test_parsed_entry_contains_only_typed_words(typed: str, known: set[str]) -> None:
    for entry in parse_entries(typed, known):
        assert entry.name.strip()
        assert entry.quantity is None or 1 <= entry.quantity <= 999
        words = [*entry.name.split(), *(entry.notes or "").split()]
        assert all(word in "".join(split_entries(typed)) for word in words)


@given(TYPED, st.sets(st.sampled_from(["2 x", "dose tee", "kilo", "a 2"])))
def test_parsed_entries_contain_every_typed_word(typed: str, known: set[str]) -> None:
    """Only the words between are dropped: the times sign, pieces, and "of"."""
    for part, entry in zip(split_entries(typed), parse_entries(typed, known), strict=True):
        pieces = "|".join(map(re.escape, sorted(units.PIECES, reverse=True)))
        counted = rf"{entry.quantity}|[x\u00d7]|(?:{pieces})\.*"
        between = rf"(?:{OF}|{counted}){{0,3}}" if entry.quantity else rf"(?:{OF})?"
        left = list(
            _remainders(_normalize(part), _normalize(entry.name), _normalize(entry.notes or ""))
        )
        assert any(re.fullmatch(between, each) for each in left), (part, entry, left)


def _normalize(text: str) -> str:
    """Join the words, with European digits and without commas and brackets."""
    return re.sub(r"[\s,\u060c()]", "", text.lower()).translate(_EUROPEAN_DIGITS)


_EUROPEAN_DIGITS = {ord("\u0660") + digit: str(digit) for digit in range(10)}


def _remainders(text: str, *said: str) -> Iterator[str]:
    """Return the rest of the text without these words, for each place of each word."""
    if not said:
        yield text
        return
    for place in re.finditer(f"(?={re.escape(said[0])})", text):
        left = text[: place.start()] + text[place.start() + len(said[0]) :]
        yield from _remainders(left, *said[1:])


@given(FIGURES | NUMBERS, LONG_UNITS, OFS, NAMES)
def test_amount_becomes_notes_and_name_is_complete(
    number: str, unit: str, of: str, name: str
) -> None:
    assert parse_entries(f"{number} {unit} {of}{name}") == [
        ParsedEntry(name, None, f"{number} {unit}")
    ]


@given(TYPED | st.text())
def test_parsing_a_part_again_returns_the_same_entry(typed: str) -> None:
    for part, entry in zip(split_entries(typed), parse_entries(typed), strict=True):
        assert split_entries(part) == [part]
        assert parse_entries(part) == [entry]


@given(
    st.integers(1, 999) | st.none(), FIGURES | NUMBERS, LONG_UNITS, st.sampled_from(WORDS), NAMES
)
def test_parsed_entry_typed_again_is_the_same(
    count: int | None, number: str, unit: str, before: str, name: str
) -> None:
    times = f"{count} x " if count else ""
    (entry,) = parse_entries(f"{times}{number} {unit} of {before} {name}")
    between = "of " if re.search(r"[^\W\d]", entry.notes or "") else ""
    shown = f"{entry.notes or ''} {between}{entry.name}".strip()
    again = f"{entry.quantity} x {shown}" if entry.quantity else shown
    assert parse_entries(again) == [entry]


@given(st.sampled_from(sorted(units.UNITS_OF)), NAMES)
def test_word_that_starts_with_a_unit_is_a_name(unit: str, name: str) -> None:
    for whole in (f"{unit}zq", f"{unit}-{name}", f"{unit}zq {name}"):
        assert parse_entries(whole) == [ParsedEntry(whole)]
        assert parse_entries(f"2 {whole}") == [ParsedEntry(whole, 2)]


@given(st.lists(st.text("abcdefg hijk", min_size=1).filter(str.strip), max_size=8))
def test_each_line_is_an_entry(lines: list[str]) -> None:
    found = parse_entries("\n".join(lines))
    assert [it.name for it in found] == [" ".join(line.split()) for line in lines]


@pytest.mark.parametrize(
    "piece",
    [
        *("x ", "a 1 ", "1/2 ", "d'", "2 x ", "- ", "1,", "1 000 ", "2-", "1- ", "half a "),
        *("de la ", "ett och ett halvt ", "kilo et demi ", "\u0662\u060c", "\u200f"),
    ],
)
def test_odd_text_is_parsed_in_bounded_time(piece: str) -> None:
    text = piece * (5000 // len(piece))
    lines = "\n".join(
        text[start : start + MAX_PARSED_LENGTH] for start in range(0, len(text), MAX_PARSED_LENGTH)
    )
    began = perf_counter()
    parse_entries(text)
    parse_entries(lines)
    assert perf_counter() - began < 1

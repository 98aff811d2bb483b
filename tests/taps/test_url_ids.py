import re

from hypothesis import given
from hypothesis import strategies as st

from homeshelf import clock
from homeshelf.taps.model import DIGITS, is_url_id, url_id_of


@given(st.uuids(version=4))
def test_an_id_is_all_of_a_uuid_in_twenty_two_letters_and_digits(uuid: object) -> None:
    text = url_id_of(str(uuid))
    assert re.fullmatch(r"[0-9A-Za-z]{22}", text)
    number = 0
    for letter in text:
        number = number * 62 + DIGITS.index(letter)
    assert f"{number:032x}" == str(uuid).replace("-", "")


def test_small_ones_are_padded() -> None:
    assert url_id_of("00000000-0000-0000-0000-000000000001") == "0" * 21 + "1"


def test_ids_differ() -> None:
    assert len({url_id_of(clock.new_id()) for _ in range(1000)}) == 1000


def test_those_of_twenty_to_twenty_two_are_looked_up() -> None:
    assert [length for length in range(30) if is_url_id("a" * length)] == [20, 21, 22]
    assert not is_url_id("a" * 21 + "#")
    assert not is_url_id("a" * 21 + "é")
    assert not is_url_id("a" * 21 + "_")

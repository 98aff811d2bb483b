import re

from hypothesis import given
from hypothesis import strategies as st

from homeshelf import clock
from homeshelf.taps.model import BASE62, is_url_id, url_id_of


@given(st.uuids(version=4))
def test_url_id_encodes_whole_uuid_in_22_characters(uuid: object) -> None:
    text = url_id_of(str(uuid))
    assert re.fullmatch(r"[0-9A-Za-z]{22}", text)
    number = 0
    for letter in text:
        number = number * 62 + BASE62.index(letter)
    assert f"{number:032x}" == str(uuid).replace("-", "")


def test_small_uuid_is_padded() -> None:
    assert url_id_of("00000000-0000-0000-0000-000000000001") == "0" * 21 + "1"


def test_url_ids_are_unique() -> None:
    assert len({url_id_of(clock.new_id()) for _ in range(1000)}) == 1000


def test_url_ids_of_20_to_22_characters_are_valid() -> None:
    assert [length for length in range(30) if is_url_id("a" * length)] == [20, 21, 22]
    assert not is_url_id("a" * 21 + "#")
    assert not is_url_id("a" * 21 + "é")
    assert not is_url_id("a" * 21 + "_")

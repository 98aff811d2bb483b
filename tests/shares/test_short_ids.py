"""Test that any typed text is parsed to at most one short id."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from homeshelf.shares.model import Shareable, normalize_short_id
from homeshelf.shares.pool import new_short_id
from tests.cases import KINDS

typed_ids = st.builds(
    lambda letters, digits, between: between.join([*letters[:3], *letters[3:], *digits]),
    st.text("abcxyzABCXYZ0oO", min_size=6, max_size=6),
    st.text("0123456789oOiIlL", min_size=5, max_size=5),
    st.sampled_from(["", "-", " ", "\t", "\u00a0", "--"]),
)
anything = st.text("".join(KINDS) + "abcdefABCDEF012345-", max_size=16)


@given(st.text() | anything | typed_ids)
@example("ABC-DEF-12345\n")
@example("\u017f\u017f\u017f-\u017f\u017f\u017f-12345")
@example("KKK-KKK-12345")  # Kelvin signs, which are small letters k once they are small
@example("abc-def-١٢٣٤٥")
@example("abc#def-12345")
def test_any_text_is_a_valid_short_id_or_none(typed: str) -> None:
    found = normalize_short_id(typed)
    if found is not None:
        assert re.fullmatch("[a-z]{3}-[a-z]{3}-[0-9]{5}", found, re.ASCII)
        assert normalize_short_id(found) == found
        Shareable.key(short_id=found)  # which refuses what could name another record


@given(typed_ids)
def test_typed_short_id_is_normalized(typed: str) -> None:
    assert normalize_short_id(typed) is not None


@given(st.integers(0, 12), st.sampled_from(["", "-", " "]), st.booleans())
def test_generated_short_id_is_found_in_any_spelling(cut: int, between: str, shouted: bool) -> None:
    made = new_short_id()
    bare = made.replace("-", "")
    typed = bare[:cut] + between + bare[cut:]
    assert normalize_short_id(typed.upper() if shouted else typed) == made

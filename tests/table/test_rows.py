"""What the embedded engine stores: found out quickly for plain records, and the same as slowly."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from homeshelf.table import INVENTORY
from homeshelf.table.engine import BadRequest, ItemTooLarge
from homeshelf.table.expressions import Item
from homeshelf.table.limits import ITEM_BYTES, checked_item
from homeshelf.table.sqlite.items import STATEMENTS, encode
from homeshelf.table.sqlite.writing import row_of
from homeshelf.table.values import TOO_LARGE, measured_item

KEY = {"PK": "P", "SK": "S"}
PUT = STATEMENTS[INVENTORY.name]

texts = st.text(st.characters(exclude_categories=()), max_size=6)
plain: st.SearchStrategy[Any] = st.one_of(
    texts,
    st.integers(),
    st.sampled_from([TOO_LARGE + 1, TOO_LARGE - 1, -TOO_LARGE - 1, 0]),
    st.none(),
    st.booleans(),
    st.lists(texts, max_size=3),
)
other: st.SearchStrategy[Any] = st.one_of(
    st.decimals(),
    st.floats(),
    st.lists(st.integers() | st.none() | st.decimals(), max_size=3),
    st.dictionaries(texts, st.integers() | texts, max_size=2),
    st.binary(),
)
names = texts | st.sampled_from(["ttl", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"])
items = st.dictionaries(names, plain, max_size=5) | st.dictionaries(names, plain | other)


@given(items)
@example({"": 1})
@example({"a": TOO_LARGE + 1})
@example({"a": [Decimal("1.50")]})
@example({"a": [1.5]})
@example({"a": "\ud800"})
@example({"a": ["\ud800"]})
@example({"ttl": True})
@example({"ttl": 2**63})
@example({"GSI2SK": ""})
def test_a_row_is_the_same_as_by_a_look_at_every_value(item: dict[str, Any]) -> None:
    item = {**item, **KEY}
    assert _answer(row_of, item) == _answer(_by_every_value, item)


@given(st.dictionaries(st.text(min_size=1, max_size=3), plain, min_size=1))
def test_its_text_is_no_shorter_than_what_is_counted(item: dict[str, Any]) -> None:
    try:
        _, counted = measured_item(item)
    except BadRequest:
        return
    assert counted <= len(encode(item))


@pytest.mark.parametrize("letter", ["a", "é", '"', "\x01"])
def test_a_record_may_be_as_large_as_it_may_be_and_no_larger(letter: str) -> None:
    most = (ITEM_BYTES - len("PKPSKSname")) // len(letter.encode())
    assert row_of(INVENTORY, KEY | {"name": letter * most})
    with pytest.raises(ItemTooLarge):
        row_of(INVENTORY, KEY | {"name": letter * (most + 1)})


def _by_every_value(table: Any, item: Item) -> Any:
    checked = checked_item(table, item)
    return PUT.row(checked, encode(checked).decode())


def _answer(work: Any, item: Item) -> Any:
    try:
        return work(INVENTORY, item)
    except BadRequest as refusal:
        return type(refusal), str(refusal)

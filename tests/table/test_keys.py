"""A template filled in is a key; filled in as far as is known it is a question."""

import pytest

from homeshelf.table.keys import Template
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix

STORE = Template("STORE#{storeId|UNASSIGNED}#STATUS#{status}")
COUNT = Template("STATUS#{status}#QUANTITY#{quantity:010}")
EVENT = Template("EVENT#{bookId}#{occurredAt}#{id}")


@pytest.mark.parametrize(
    ("template", "values", "key"),
    [
        (STORE, {"storeId": "s1", "status": "pending"}, "STORE#s1#STATUS#pending"),
        (STORE, {"storeId": None, "status": "pending"}, "STORE#UNASSIGNED#STATUS#pending"),
        (COUNT, {"status": "active", "quantity": 12}, "STATUS#active#QUANTITY#0000000012"),
        (
            COUNT,
            {"status": "active", "quantity": 9_999_999_999},
            "STATUS#active#QUANTITY#9999999999",
        ),
        (Template("list#{shortId:bare}"), {"shortId": "ABC-def 123"}, "list#abcdef123"),
        (Template("01#{id:bare}#"), {"id": "A-1"}, "01#a1#"),
        (Template("METADATA"), {}, "METADATA"),
        (Template("{bucket}", number=True), {"bucket": 99}, 99),
        (STORE, {"storeId": "s1", "status": None}, None),
    ],
)
def test_a_key_holds_the_values_of_its_fields(
    template: Template, values: dict[str, object], key: object
) -> None:
    assert template.fill(values) == key


@pytest.mark.parametrize(
    ("template", "known", "sort"),
    [
        (STORE, {}, Prefix("STORE#")),
        (STORE, {"storeId": "s1"}, Prefix("STORE#s1#STATUS#")),
        (STORE, {"storeId": None}, Prefix("STORE#UNASSIGNED#STATUS#")),
        (STORE, {"storeId": "s1", "status": "pending"}, Equals("STORE#s1#STATUS#pending")),
        (Template("01#{id}#"), {"id": "a"}, Equals("01#a#")),
        (Template("METADATA"), {}, Equals("METADATA")),
        (Template("{place}"), {}, None),
    ],
)
def test_what_is_known_from_the_left_makes_a_prefix(
    template: Template, known: dict[str, object], sort: object
) -> None:
    assert template.sort(known) == sort


@pytest.mark.parametrize("known", [{"bookId": None}, {"bookId": "b", "occurredAt": None}])
def test_a_field_that_has_no_word_for_null_needs_a_value(known: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="needs a value for each of its fields"):
        EVENT.sort(known)


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [
        ("10", "20", Between("EVENT#b#10", f"EVENT#b#20#{HIGHEST}")),
        ("10", None, Between("EVENT#b#10", f"EVENT#b#{HIGHEST}")),
        (None, "20", Between("EVENT#b#", f"EVENT#b#20#{HIGHEST}")),
        (None, None, Between("EVENT#b#", f"EVENT#b#{HIGHEST}")),
    ],
)
def test_a_range_is_of_the_first_field_that_is_not_known(
    low: str | None, high: str | None, bounds: Between
) -> None:
    assert EVENT.between({"bookId": "b"}, "occurredAt", low, high) == bounds


@pytest.mark.parametrize("name", ["bookId", "id", "page"])
def test_a_range_of_another_field_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the first unknown field"):
        EVENT.between({"bookId": "b"}, name, "1", "2")


def test_a_key_is_read_back_into_the_texts_of_its_fields() -> None:
    assert EVENT.read("EVENT#b#10#e") == {"bookId": "b", "occurredAt": "10", "id": "e"}
    assert EVENT.read("EVENT#b#10#two\nlines") == EVENT.read("EVENT#b#10#") | {"id": "two\nlines"}
    assert Template("01#{id}#").read("01#a#b#") == {"id": "a#b"}
    assert Template("{bucket}", number=True).read(7) == {"bucket": 7}
    with pytest.raises(ValueError, match="not of the form"):
        EVENT.read("NOTE#b#n")


def test_a_range_over_a_padded_number_is_a_range_of_numbers() -> None:
    assert COUNT.between({"status": "a"}, "quantity", 9, 10) == Between(
        "STATUS#a#QUANTITY#0000000009", f"STATUS#a#QUANTITY#0000000010{HIGHEST}"
    )

"""A complete template is a key; a template without its last values is a query."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf.moving.record_kinds import every_kind
from homeshelf.table import BadRequest, Record
from homeshelf.table.keys import Field, Template
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix
from homeshelf.table.schema import Table

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
def test_known_leading_fields_make_a_prefix(
    template: Template, known: dict[str, object], sort: object
) -> None:
    assert template.sort(known) == sort


@pytest.mark.parametrize("known", [{"bookId": None}, {"bookId": "b", "occurredAt": None}])
def test_key_field_without_a_null_word_needs_a_value(known: dict[str, object]) -> None:
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
def test_range_applies_to_the_first_missing_key_field(
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


REST = Template("NAME#{kind}#{nameKey:rest}")


@pytest.mark.parametrize("value", ["", "a#b", "#", "s#STATUS#pending"])
@pytest.mark.parametrize("name", ["bookId", "occurredAt", "id"])
def test_a_value_that_would_name_another_record_is_refused(name: str, value: str) -> None:
    values = {"bookId": "b", "occurredAt": "1", "id": "e"} | {name: value}
    with pytest.raises(BadRequest) as refused:
        EVENT.fill(values)
    assert value not in str(refused.value) or not value
    with pytest.raises(BadRequest):
        EVENT.sort(values)


@pytest.mark.parametrize(("low", "high"), [("", None), (None, ""), ("1#2", None), (None, "1#2")])
def test_bounds_of_a_range_are_validated(low: str | None, high: str | None) -> None:
    with pytest.raises(BadRequest):
        EVENT.between({"bookId": "b"}, "occurredAt", low, high)


def test_word_for_null_is_refused_as_a_value() -> None:
    with pytest.raises(BadRequest):
        STORE.fill({"storeId": "UNASSIGNED", "status": "pending"})


@pytest.mark.parametrize("value", ["-", " - ", "a-#"])
def test_bare_value_is_validated_after_normalization(value: str) -> None:
    with pytest.raises(BadRequest):
        Template("list#{shortId:bare}").fill({"shortId": value})


def test_rest_field_accepts_any_text_but_an_empty_one() -> None:
    assert REST.fill({"kind": "STORE", "nameKey": "aldi #2"}) == "NAME#STORE#aldi #2"
    assert REST.read("NAME#STORE#aldi #2") == {"kind": "STORE", "nameKey": "aldi #2"}
    with pytest.raises(BadRequest):
        REST.fill({"kind": "STORE", "nameKey": ""})
    with pytest.raises(BadRequest):
        REST.fill({"kind": "STORE#x", "nameKey": "aldi"})


@pytest.mark.parametrize("text", ["{a:rest}#{b}", "{a:rest}#", "{a}{b}", "A#{a}-{b}"])
def test_ambiguous_template_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"goes on after|no # between"):
        Template(text)


@pytest.mark.parametrize(
    "template", [STORE, COUNT, EVENT, REST, Template("ITEM#{a}#URL#{b}")], ids=lambda it: it.text
)
@given(data=st.data())
def test_two_different_records_never_have_the_same_key(
    template: Template, data: st.DataObject
) -> None:
    """The values contain pieces of keys."""
    pieces = ["a", "#", *(word for field in template.fields for word in _words(field))]
    texts = st.lists(st.sampled_from(pieces), max_size=3).map("".join)
    values: list[object] = [None, "a", *data.draw(st.lists(texts, max_size=6))]
    numbers: list[object] = [0, *data.draw(st.lists(st.integers(-9, 20_000_000_000), max_size=6))]
    pools = [{*numbers} if field.format == "010" else {*values} for field in template.fields]
    records = [dict(zip(template.names, one, strict=True)) for one in product(*pools)]
    keys = [key for record in records if (key := _fill_template(template, record)) is not None]
    assert len(keys) == len({*keys})


def test_records_of_two_kinds_never_have_the_same_key() -> None:
    """All kinds of records are compared, with pieces of keys as values."""
    seen: dict[tuple[Table, object, object], type[Record]] = {}
    for kind in every_kind():
        table, keys = kind.table, kind.keys
        partition, sort = Template(keys[table.partition]), Template(keys[table.sort])
        fields = {field.name: field for field in (*partition.fields, *sort.fields)}
        for values in product(["", "a", "b", "a#a", "a#URL#a"], repeat=len(fields)):
            given_ = {
                name: 7 if field.format == "02" else value
                for (name, field), value in zip(fields.items(), values, strict=True)
            }
            place = _fill_template(partition, given_), _fill_template(sort, given_)
            if None not in place:
                assert seen.setdefault((table, *place), kind) is kind
    assert len({*seen.values()}) == len(every_kind())


def _fill_template(template: Template, values: Mapping[str, Any]) -> object:
    try:
        return template.fill(values)
    except BadRequest:
        return None


def _words(field: Field) -> list[str]:
    return [field.before, *([field.instead_of_null] if field.instead_of_null else [])]

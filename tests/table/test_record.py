"""Records are stored and loaded without loss."""

from typing import Any, Literal

import pytest
from pydantic import ValidationError

from homeshelf.table import (
    HELPER,
    INVENTORY,
    InKey,
    Keys,
    Record,
    Set,
    Sparse,
    SparseList,
    Versioned,
    attr,
)
from homeshelf.table.expressions import All, exists
from homeshelf.table.operations import HIGHEST, Between, Equals, Prefix


class Cup(Versioned):
    table = INVENTORY
    keys = Keys(
        PK="SHELF#{shelfId}",
        SK="CUP#{cupId}",
        GSI2PK="SHELF#{shelfId}#CUPS",
        GSI2SK="OWNER#{owner}#SIZE#{size}",
    )

    cup_id: str
    shelf_id: str
    owner: str | None = None
    colours: tuple[str, ...] = ()
    crack: Sparse[str] = None
    stickers: SparseList[str] = ()
    entity_type: Literal["Cup"] = "Cup"

    @property
    def size(self) -> str:
        return "small"


class Peg(Record):
    table = HELPER
    keys = Keys(PK="HALL#{hallNumber}", SK="PEG#{pegNumber:02}")

    hall_number: InKey[int]
    peg_number: InKey[int]
    coat: str


def cup(**values: Any) -> Cup:
    return Cup(cup_id="c1", shelf_id="s1", created_at="then", updated_at="then", **values)


def test_a_record_leaves_an_index_while_it_lacks_a_value_of_its_key() -> None:
    assert "GSI2SK" not in cup().item()
    assert cup(owner="ada").item()["GSI2SK"] == "OWNER#ada#SIZE#small"


def test_keys_are_recomputed_at_each_write() -> None:
    stored = cup(owner="ada").item() | {"GSI2SK": "stale"}
    assert Cup.load(stored).item()["GSI2SK"] == "OWNER#ada#SIZE#small"
    assert "GSI2SK" not in Cup.load(stored).changed(owner=None).item()


def test_unknown_attributes_survive_a_change() -> None:
    read = Cup.load(cup().item() | {"handle": {"side": "left"}})
    assert read.changed(owner="eve").item()["handle"] == {"side": "left"}


def test_a_default_that_was_not_stored_is_not_added() -> None:
    stored = cup().item()
    del stored["version"], stored["colours"]
    read = Cup.load(stored)
    assert read.item() == stored
    assert read.changed(colours=("red",)).item() == {**stored, "colours": ["red"]}


def test_removed_value_is_omitted_or_null() -> None:
    read = Cup.load(cup(crack="deep", stickers=["star"], owner="ada").item())
    assert read.stickers == ("star",)
    item = read.changed(crack=None, stickers=[], owner=None).item()
    assert not {"crack", "stickers"} & item.keys()
    assert item["owner"] is None


def test_records_are_equal_by_their_fields() -> None:
    assert Cup.load(cup(owner="ada").item()) == cup(owner="ada") != cup()


def test_record_is_immutable_and_refuses_unknown_fields() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        cup().owner = "eve"
    with pytest.raises(TypeError, match="Cup has no ovner"):
        cup().changed(ovner="eve")


def test_field_stored_only_in_the_key_is_read_from_it() -> None:
    peg = Peg(hall_number=1, peg_number=7, coat="mine")
    assert peg.item() == {"PK": "HALL#1", "SK": "PEG#07", "coat": "mine"}
    assert Peg.load(peg.item()) == peg


def test_rewrite_requires_the_version_that_was_read() -> None:
    old = cup(version=3)
    put = old.revised("now", owner="eve").replacing(old)
    assert put.when == (attr("version") == 3)
    assert (put.item["version"], put.item["updatedAt"]) == (4, "now")


def test_rewrite_of_a_record_without_a_version_requires_its_absence() -> None:
    stored = cup().item()
    del stored["version"]
    assert Cup.load(stored).unchanged == All((exists, attr("version").missing))


def test_query_uses_its_kind_and_the_known_key_fields() -> None:
    query = Cup.where("GSI2", shelf_id="s1", owner="ada")
    assert (query.partition, query.sort) == ("SHELF#s1#CUPS", Prefix("OWNER#ada#SIZE#"))
    assert query.filter == (attr("entityType") == "Cup")
    assert Cup.where(shelf_id="s1", cup_id="c1").sort == Equals("CUP#c1")
    assert Peg.where(hall_number=1).filter is None


def test_a_query_refuses_what_its_key_cannot_use() -> None:
    with pytest.raises(ValueError, match="size cannot be used without what is before it"):
        Cup.where("GSI2", shelf_id="s1", size="small")
    with pytest.raises(ValueError, match="needs a value"):
        Cup.where("GSI2", shelf_id="s1", owner=None)


def test_an_attribute_of_a_key_is_not_updated_in_place() -> None:
    key = cup().own_key()
    for name in ("owner", "shelfId", "size", "PK", "GSI2SK", "GSI1PK"):
        with pytest.raises(ValueError, match=f"{name} is part of a key"):
            Cup.update(key, Set(name, "eve"))
    assert Cup.update(key, Set("crack", "deep")).key == key


def test_an_optional_value_that_a_new_record_lacks_is_left_out_and_others_are_null() -> None:
    item = cup().item()
    assert not {"crack", "stickers"} & item.keys()
    assert item["owner"] is None
    assert item["colours"] == []
    assert (item["version"], item["entityType"]) == (1, "Cup")
    assert cup(crack="deep").item()["crack"] == "deep"
    assert cup(stickers=["star"]).item()["stickers"] == ["star"]


def test_a_record_names_its_own_key_to_be_deleted_or_checked() -> None:
    key = Cup.key(shelf_id="s1", cup_id="c1")
    assert (key.partition, key.sort) == ("SHELF#s1", "CUP#c1")
    assert cup().own_key() == cup().delete().key == cup().check().key == key
    assert cup().check().when == exists
    assert cup().delete(cup().unchanged).when == (attr("version") == 1)


def test_a_key_needs_a_value_for_each_of_its_fields() -> None:
    with pytest.raises(ValueError, match="a key of Cup needs a value"):
        Cup.key(shelf_id="s1", cup_id=None)


def test_range_query_uses_the_next_key_field() -> None:
    query = Cup.between("owner", "a", "b", index="GSI2", shelf_id="s1")
    assert query.partition == "SHELF#s1#CUPS"
    assert query.sort == Between("OWNER#a", f"OWNER#b#SIZE#{HIGHEST}")
    assert query.filter == (attr("entityType") == "Cup")
    assert Cup.between("cup_id", None, None, shelf_id="s1").sort == Between(
        "CUP#", f"CUP#{HIGHEST}"
    )


def test_reading_and_putting_a_record_changes_nothing() -> None:
    for record in (cup(), cup(owner="ada", crack="deep", colours=("red", "blue"))):
        assert Cup.load(record.item()).put().item == record.item()


def test_changed_keeps_other_fields_and_validates_new_ones() -> None:
    read = Cup.load(cup(owner="ada", colours=("red",)).item())
    changed = read.changed(owner="eve")
    assert (changed.owner, changed.colours, read.owner) == ("eve", ("red",), "ada")
    assert changed.stored is read.stored
    with pytest.raises(ValidationError):
        read.changed(owner=5)

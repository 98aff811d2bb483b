from decimal import Decimal
from typing import Any

import pytest

from homeshelf.table.engine import BadRequest, ConditionFailed, Engine, TransactionCancelled
from homeshelf.table.expressions import Add, Remove, Set, UpdateAction, absent, attr, exists
from tests.table.support import Place, new_place

WRONG: Any = 1.5
ONE_AS_TEXT: Any = "1"


async def test_put_returns_what_it_replaced(engine: Engine, home: Place) -> None:
    assert await engine.write(home.put("milk", quantity=1)) is None
    assert await engine.write(home.put("milk", quantity=2)) == home.item("milk", quantity=1)
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=2)


async def test_put_replaces_the_whole_record(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=1, note="skimmed"))
    await engine.write(home.put("milk", price=Decimal("1.19")))
    assert await engine.get(home.key("milk")) == home.item("milk", price=Decimal("1.19"))


async def test_put_with_a_failed_condition_changes_nothing_and_shows_the_record(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("milk", quantity=1))
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.put("milk", absent, quantity=2))
    assert failed.value.current == home.item("milk", quantity=1)
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=1)


async def test_failed_condition_on_an_absent_record_shows_none(engine: Engine, home: Place) -> None:
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.put("milk", exists))
    assert failed.value.current is None
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.delete("milk", exists))
    assert failed.value.current is None


async def test_delete_returns_what_it_removed(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=1))
    assert await engine.write(home.delete("milk")) == home.item("milk", quantity=1)
    assert await engine.get(home.key("milk")) is None


async def test_delete_of_an_absent_record_returns_none(engine: Engine, home: Place) -> None:
    assert await engine.write(home.delete("milk")) is None


async def test_a_delete_whose_condition_fails_removes_nothing(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", version=2))
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.delete("milk", attr("version") == 1))
    assert failed.value.current == home.item("milk", version=2)
    assert await engine.get(home.key("milk")) == home.item("milk", version=2)


async def test_update_changes_attributes_and_returns_the_record_as_it_was(
    engine: Engine, home: Place
) -> None:
    await engine.write(home.put("milk", quantity=1, note="skimmed", place="fridge"))
    changes = (Set("place", "cellar"), Remove("note"), Add("quantity", 4), Set("new", [1, {}]))
    before = await engine.write(home.update("milk", *changes))
    assert before == home.item("milk", quantity=1, note="skimmed", place="fridge")
    after = home.item("milk", quantity=5, place="cellar", new=[1, {}])
    assert await engine.get(home.key("milk")) == after


async def test_update_never_makes_a_record(engine: Engine, home: Place) -> None:
    for when in (None, absent, attr("quantity").missing):
        with pytest.raises(ConditionFailed) as failed:
            await engine.write(home.update("milk", Set("quantity", 1), when=when))
        assert failed.value.current is None
    assert await engine.get(home.key("milk")) is None


async def test_an_update_whose_condition_fails_changes_nothing(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=1, version=7))
    with pytest.raises(ConditionFailed) as failed:
        await engine.write(home.update("milk", Add("quantity", 1), when=attr("version") == 6))
    assert failed.value.current == home.item("milk", quantity=1, version=7)
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=1, version=7)


async def test_update_can_set_the_attribute_of_its_condition(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", version=7))
    bump = home.update("milk", Set("version", 8), when=attr("version") == 7)
    await engine.write(bump)
    with pytest.raises(ConditionFailed):
        await engine.write(bump)
    assert await engine.get(home.key("milk")) == home.item("milk", version=8)


async def test_an_update_may_need_an_attribute_to_be_missing(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity=1))
    update = home.update("milk", Set("note", "sour"), when=attr("note").missing)
    await engine.write(update)
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=1, note="sour")
    with pytest.raises(ConditionFailed):
        await engine.write(update)


async def test_condition_is_checked_before_an_invalid_change(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", quantity="two", version=1))
    wrong = home.update("milk", Add("quantity", 1), when=attr("version") == 2)
    with pytest.raises(ConditionFailed):
        await engine.write(wrong)
    with pytest.raises(TransactionCancelled):
        await engine.transact([wrong])
    with pytest.raises(TransactionCancelled):
        await engine.transact(
            [home.update("milk", Add("quantity", 1)), home.check("nothing", exists)]
        )


async def test_set_may_give_any_value(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk", a=1, b=1, c=1, d=1, e=1))
    values: dict[str, Any] = {"a": None, "b": "", "c": False, "d": [], "e": {"f": Decimal("0.1")}}
    await engine.write(home.update("milk", *(Set(name, values[name]) for name in values)))
    assert await engine.get(home.key("milk")) == home.item("milk", **values)


async def test_removing_a_missing_attribute_is_allowed(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk"))
    await engine.write(home.update("milk", Remove("note")))
    assert await engine.get(home.key("milk")) == home.item("milk")


async def test_attributes_may_have_any_name(engine: Engine, home: Place) -> None:
    names = ["a.b", "a[0]", "#n", ":v", "size", "ttl2", "ünï", "with space", "1st", "\U0001f34e"]
    await engine.write(home.put("milk", **dict.fromkeys(names, 1)))
    await engine.write(home.update("milk", *(Add(name, 1) for name in names)))
    assert await engine.get(home.key("milk")) == home.item("milk", **dict.fromkeys(names, 2))
    await engine.write(home.update("milk", *(Remove(name) for name in names)))
    assert await engine.get(home.key("milk")) == home.item("milk")


@pytest.mark.parametrize(
    ("before", "amount", "after"),
    [
        (5, 3, 8),
        (5, -8, -3),
        (5, 0, 5),
        (Decimal("0.1"), Decimal("0.2"), Decimal("0.3")),
        (Decimal("0.5"), Decimal("0.5"), 1),
        (10**37, 1, 10**37 + 1),
        (
            Decimal("1234567890123456789.0123456789012345678"),
            Decimal("0.0000000000000000001"),
            Decimal("1234567890123456789.0123456789012345679"),
        ),
        (2**63 - 1, 1, 2**63),
        (int("9" * 38), 1, 10**38),
    ],
)
async def test_add_adds_exactly(
    engine: Engine, home: Place, before: Any, amount: Any, after: Any
) -> None:
    await engine.write(home.put("milk", quantity=before))
    await engine.write(home.update("milk", Add("quantity", amount)))
    found = await engine.get(home.key("milk"))
    assert found == home.item("milk", quantity=after)
    assert type(found["quantity"]) is type(after)


@pytest.mark.parametrize(
    ("before", "amount"),
    [
        (10**37, Decimal("0.01")),
        (int("9" * 38), Decimal("0.1")),
        (1, Decimal("1E-130")),
        (9 * 10**125, 10**125),
    ],
)
async def test_sum_out_of_range_is_refused_without_a_change(
    engine: Engine, home: Place, before: Any, amount: Any
) -> None:
    await engine.write(home.put("milk", quantity=before))
    with pytest.raises(BadRequest):
        await engine.write(home.update("milk", Add("quantity", amount)))
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=before)


async def test_add_counts_a_missing_attribute_as_0(engine: Engine, home: Place) -> None:
    await engine.write(home.put("milk"))
    await engine.write(home.update("milk", Add("quantity", 3), Add("price", Decimal("-0.5"))))
    after = home.item("milk", quantity=3, price=Decimal("-0.5"))
    assert await engine.get(home.key("milk")) == after


@pytest.mark.parametrize("value", ["3", "", True, None, [1], {"a": 1}])
async def test_add_to_a_text_is_refused_without_a_change(
    engine: Engine, home: Place, value: Any
) -> None:
    item = home.item("milk", quantity=value, other=1)
    await engine.write(home.put("milk", quantity=value, other=1))
    with pytest.raises(BadRequest):
        await engine.write(home.update("milk", Set("other", 2), Add("quantity", 1)))
    with pytest.raises(BadRequest):
        await engine.transact(
            [home.put("bread"), home.update("milk", Add("quantity", 1), Set("other", 2))]
        )
    assert await engine.get(home.key("milk")) == item
    assert await engine.get(home.key("bread")) is None


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (Set("quantity", 1), Set("quantity", 2)),
        (Set("quantity", 1), Remove("quantity")),
        (Set("SK", "bread"),),
        (Remove("PK"),),
        (Set("", 1),),
        (Remove(""),),
        (Add("", 1),),
        (Set("\ud800", 1),),
        (Remove("\ud800"),),
        (Set("quantity", WRONG),),
        (Add("quantity", WRONG),),
        (Add("quantity", True),),
        (Add("quantity", ONE_AS_TEXT),),
        (Add("quantity", Decimal("NaN")),),
        (Add("quantity", Decimal("1E+126")),),
        (Add("ttl", Decimal("0.5")),),
        (Set("ttl", "soon"),),
        (Set("GSI1PK", None),),
        (Set("GSI1SK", 5),),
        (Set("GSI2PK", ""),),
        (Add("GSI1PK", 1),),
        (Add("GSI2SK", 1),),
    ],
    ids=repr,
)
async def test_invalid_changes_are_refused_without_a_change(
    engine: Engine, home: Place, changes: tuple[UpdateAction, ...]
) -> None:
    await engine.write(home.put("milk", quantity=1))
    with pytest.raises(BadRequest):
        await engine.write(home.update("milk", *changes))
    with pytest.raises(BadRequest):
        await engine.transact([home.put("bread"), home.update("milk", *changes)])
    assert await engine.get(home.key("milk")) == home.item("milk", quantity=1)
    assert await engine.get(home.key("bread")) is None


async def test_write_changes_only_its_own_partition(engine: Engine, home: Place) -> None:
    other = new_place()
    await engine.write(other.put("milk", quantity=1))
    await engine.write(home.put("milk", quantity=2))
    await engine.write(home.delete("milk"))
    assert await engine.get(other.key("milk")) == other.item("milk", quantity=1)

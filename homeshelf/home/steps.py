"""Track the first steps of a household; each is settled once, when it is done or skipped."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from homeshelf.coordination.changes import change_write
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory.store import all_items
from homeshelf.places.store import locations_of
from homeshelf.sentences import _
from homeshelf.shopping.purchases import purchases_of
from homeshelf.shopping.store import whole_list
from homeshelf.table import HELPER, ConditionFailed, Database, Key, Keys, Query, Record, absent

Name = Literal["places", "things", "list", "people"]
State = Literal["done", "left_out"]

ITEM_GOAL = 10
STEP_ENTITY = "HomeStep"


@dataclass(frozen=True)
class Step:
    name: Name
    path: str
    title: str
    about: str


STEPS = (
    Step(
        "places",
        "/places",
        _("Set up your places"),
        _("Pantry, fridge, cellar, and the shops you go to."),
    ),
    Step(
        "things",
        "/stock/take",
        _("Add your first ten things"),
        _("What do you run out of most? Milk, coffee, toilet paper…"),
    ),
    Step(
        "list", "/list", _("Add to the list"), _("Everyone sees the same list, even in the shop.")
    ),
    Step(
        "people",
        "/family",
        _("Invite your family"),
        _("A partner, a flatmate or a child: send a link or scan a code."),
    ),
)
BY_NAME: Mapping[str, Step] = {step.name: step for step in STEPS}


class SettledStep(Record):
    """A step that the household has done or skipped."""

    table = HELPER
    keys = Keys(PK="STEPS#{familyId}", SK="STEP#{name}")
    lock = "state"

    family_id: str
    name: Name
    state: State


@dataclass(frozen=True)
class Progress:
    settled: Mapping[str, State]
    item_count: int = ITEM_GOAL

    @property
    def visible_steps(self) -> Sequence[Step]:
        """The steps that are not skipped, or none if all are settled."""
        if self.settled.keys() == BY_NAME.keys():
            return ()
        return [step for step in STEPS if self.settled.get(step.name) != "left_out"]

    def is_done(self, step: Step) -> bool:
        return self.settled.get(step.name) == "done"


def settled_steps(family_id: str) -> Query[SettledStep]:
    """List the settled steps of a household, up to date."""
    return SettledStep.where(family_id=family_id).up_to_date()


async def read_progress(db: Database, family_id: str, people: int) -> Progress:
    found = await db.all(settled_steps(family_id))
    settled: dict[str, State] = {each.name: each.state for each in found}
    if settled.keys() == BY_NAME.keys():
        return Progress(settled)
    item_count = await db.count(all_items(family_id).up_to_date(), ITEM_GOAL)
    for step in STEPS:
        if step.name in settled or not await _is_done(db, family_id, step.name, item_count, people):
            continue
        with suppress(ConditionFailed):  # settled by another request
            await db.put(SettledStep(family_id=family_id, name=step.name, state="done"), absent)
        settled[step.name] = "done"
    return Progress(settled, item_count)


@transaction
async def skip_step(tx: Transaction, new: SettledStep) -> None:
    if await tx.db.get(new.own_key()) is None:
        tx.write(new.put(absent), change_write(new.family_id, STEP_ENTITY, new.name, 1))


@transaction
async def restore_step(tx: Transaction, key: Key[SettledStep]) -> None:
    old = await tx.db.get(key)
    if old is not None and old.state == "left_out":
        told = change_write(old.family_id, STEP_ENTITY, old.name, None)
        tx.write(old.delete(old.unchanged), told)


async def _is_done(db: Database, family_id: str, name: Name, item_count: int, people: int) -> bool:
    match name:
        case "places":
            return await db.first(locations_of(family_id).up_to_date()) is not None
        case "things":
            return item_count >= ITEM_GOAL
        case "list":  # entries expire, but purchases stay
            if await db.first(whole_list(family_id).up_to_date()) is not None:
                return True
            return await db.first(purchases_of(family_id).up_to_date()) is not None
    return people > 1

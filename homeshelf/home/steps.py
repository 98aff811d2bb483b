"""The first steps of a household: places, things, the list, people. Each is settled for good once
it is done or left out; when all are, nothing else is read for them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from homeshelf.coordination.changes import note_change
from homeshelf.coordination.transaction import Transaction, transaction
from homeshelf.inventory.store import every_item
from homeshelf.places.store import locations_of
from homeshelf.sentences import _
from homeshelf.shopping.store import whole_list
from homeshelf.shopping.usual import purchases_of
from homeshelf.table import HELPER, ConditionFailed, Database, Key, Keys, Query, Record, absent

Name = Literal["places", "things", "list", "people"]
State = Literal["done", "left_out"]

ENOUGH_THINGS = 10
CHANGED = "HomeStep"


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
        _("Say where things are kept"),
        _("Pantry, fridge, cellar, and the shops you go to."),
    ),
    Step(
        "things",
        "/stock/take",
        _("Put ten things on the shelf"),
        _("What do you run out of most? Milk, coffee, toilet paper…"),
    ),
    Step(
        "list",
        "/list",
        _("Put something on the list"),
        _("Everybody sees the same one, also in the shop."),
    ),
    Step(
        "people",
        "/family",
        _("Bring in the others"),
        _("A partner, a flatmate, a child: with a link or a code to scan."),
    ),
)
BY_NAME: Mapping[str, Step] = {step.name: step for step in STEPS}


class SettledStep(Record):
    """The household has taken a step, or left it out."""

    table = HELPER
    keys = Keys(PK="STEPS#{familyId}", SK="STEP#{name}")
    lock = "state"

    family_id: str
    name: Name
    state: State


@dataclass(frozen=True)
class Progress:
    """The progress of a household; `things` counts no further than needed."""

    settled: Mapping[str, State]
    things: int = ENOUGH_THINGS

    @property
    def shown(self) -> Sequence[Step]:
        """The steps that are not left out, while one is to be done."""
        if self.settled.keys() == BY_NAME.keys():
            return ()
        return [step for step in STEPS if self.settled.get(step.name) != "left_out"]

    def is_done(self, step: Step) -> bool:
        return self.settled.get(step.name) == "done"


def settled_steps(family_id: str) -> Query[SettledStep]:
    """Which steps a household has settled, up to date."""
    return SettledStep.where(family_id=family_id).up_to_date()


async def progress_of(db: Database, family_id: str, people: int) -> Progress:
    """Return the progress, and keep what is done for the first time."""
    found = await db.all(settled_steps(family_id))
    settled: dict[str, State] = {each.name: each.state for each in found}
    if settled.keys() == BY_NAME.keys():
        return Progress(settled)
    things = await db.count(every_item(family_id).up_to_date(), ENOUGH_THINGS)
    for step in STEPS:
        if step.name in settled or not await _is_done(db, family_id, step.name, things, people):
            continue
        with suppress(ConditionFailed):  # settled meanwhile
            await db.put(SettledStep(family_id=family_id, name=step.name, state="done"), absent)
        settled[step.name] = "done"
    return Progress(settled, things)


@transaction
async def leave_out(tx: Transaction, new: SettledStep) -> None:
    """Leave a step out, unless it is settled already."""
    if await tx.db.get(new.own_key()) is None:
        tx.write(new.put(absent), note_change(new.family_id, CHANGED, new.name, 1))


@transaction
async def bring_back(tx: Transaction, key: Key[SettledStep]) -> None:
    old = await tx.db.get(key)
    if old is not None and old.state == "left_out":
        told = note_change(old.family_id, CHANGED, old.name, None)
        tx.write(old.delete(old.unchanged), told)


async def _is_done(db: Database, family_id: str, name: Name, things: int, people: int) -> bool:
    match name:
        case "places":
            return await db.first(locations_of(family_id).up_to_date()) is not None
        case "things":
            return things >= ENOUGH_THINGS
        case "list":  # entries expire, and purchases are remembered
            if await db.first(whole_list(family_id).up_to_date()) is not None:
                return True
            return await db.first(purchases_of(family_id).up_to_date()) is not None
    return people > 1

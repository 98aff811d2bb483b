from collections.abc import Sequence

from homeshelf.coordination.adopting import Adoption, Found, Made
from homeshelf.coordination.belongings import Arrival
from homeshelf.shopping.model import (
    PendingEntries,
    Purchase,
    ShoppingListItem,
    StorePlace,
    digest_name,
)
from homeshelf.table import Database, Record, absent

CLAIMS = "things that wait on a shopping list"


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    entries = arrival.of(ShoppingListItem)
    habits: list[Purchase | StorePlace] = [*arrival.of(Purchase), *arrival.of(StorePlace)]
    named = [each.changed(name_digest=digest_name(each.family_id, each.name)) for each in habits]
    return [*entries, *_build_claims(entries), *named]


async def adopt(db: Database, found: Found) -> Adoption:
    waiting = _build_claims(found.of(ShoppingListItem))
    there = await db.get_many([each.own_key() for each in waiting])
    needs: list[Sequence[Made]] = []
    remarks = []
    for wanted, held in zip(waiting, there, strict=True):
        if held is None:
            needs.append([(CLAIMS, wanted.put(absent))])
        elif others := tuple(each for each in wanted.members if each not in held.members):
            whole = held.changed(members=(*held.members, *others))
            needs.append([(CLAIMS, whole.replacing(held))])
        else:
            continue
        if len(wanted.members) > 1:
            remarks.append(
                f"Family {wanted.family_id} has {len(wanted.members)} entries waiting for the "
                f"thing {wanted.item_id}: all stay."
            )
    return Adoption(needs, remarks)


def _build_claims(entries: Sequence[ShoppingListItem]) -> list[PendingEntries]:
    waiting: dict[tuple[str, str], tuple[str, ...]] = {}
    for entry in sorted(entries, key=lambda each: (each.created_at, each.shopping_item_id)):
        if item_id := entry.pending_item_id:
            of = entry.family_id, item_id
            waiting[of] = (*waiting.get(of, ()), entry.shopping_item_id)
    return [
        PendingEntries(family_id=family_id, item_id=item_id, members=members)
        for (family_id, item_id), members in waiting.items()
    ]

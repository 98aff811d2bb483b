"""What an item leaves on the list when it is deleted: free text."""

from homeshelf import clock
from homeshelf.coordination.changing import Outcome, carry_out, replaced
from homeshelf.shopping.store import naming
from homeshelf.shopping.waiting import key_of_waiting, waiting_for
from homeshelf.table import Database

AT_ONCE = 45
"""Each with its change record, and the claim beside them: a transaction takes 100 writes."""


async def unlink(db: Database, family_id: str, item_id: str) -> None:
    """Turn all entries of an item that is gone into free text, so many in a transaction.

    Nothing new can name it any more, so it is over when none is found; those that change or vanish
    meanwhile are looked for again.
    """

    async def decide() -> Outcome[bool]:
        entries = await db.all(naming(family_id, item_id).page(AT_ONCE))
        if not entries:
            return False, ()
        waiting = await waiting_for(db, family_id, item_id)
        pairs = [(old, old.as_free_text(clock.after(old.updated_at))) for old in entries]
        unlinked = (write for old, new in pairs for write in replaced(old, new))
        return True, (*unlinked, waiting.removing(*(old.shopping_item_id for old in entries)))

    while await carry_out(db, key_of_waiting(family_id, item_id), decide):
        pass

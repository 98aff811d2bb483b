"""How much waits in a family: the numbers beside the places in the bar."""

import asyncio

from homeshelf.notices import store as notices
from homeshelf.shopping import store as shopping
from homeshelf.suggestions import store as suggestions
from homeshelf.table import Database


async def counts(db: Database, family_id: str, at_most: int | None = None) -> dict[str, int]:
    wishes, warnings, entries = await asyncio.gather(
        db.count(suggestions.with_status(family_id, "pending"), at_most),
        db.count(notices.unresolved(family_id), at_most),
        db.count(shopping.with_status(family_id, "pending"), at_most),
    )
    return {
        "pendingSuggestions": wishes,
        "unresolvedNotifications": warnings,
        "pendingEntries": entries,
    }

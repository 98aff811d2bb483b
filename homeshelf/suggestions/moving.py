from collections.abc import Sequence

from homeshelf.coordination.belongings import Arrival
from homeshelf.suggestions.model import CreatedItem, HeardAnswer, Suggestion
from homeshelf.table import Database, Record


async def move_in(_db: Database, arrival: Arrival) -> Sequence[Record]:
    """Return the records to import, with links to created items for older files."""
    suggestions = arrival.of(Suggestion)
    created = [
        CreatedItem(family_id=it.family_id, suggestion_id=it.suggestion_id, item_id=it.made_item_id)
        for it in suggestions
        if it.made_item_id
    ]
    return [*suggestions, *arrival.of(CreatedItem), *created, *arrival.of(HeardAnswer)]

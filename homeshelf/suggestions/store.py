from homeshelf.suggestions.model import Status, Suggestion
from homeshelf.table import Database, Query


async def suggestion(db: Database, family_id: str, suggestion_id: str) -> Suggestion | None:
    """Get suggestion by ID."""
    return await db.get(Suggestion.key(family_id=family_id, suggestion_id=suggestion_id))


def suggestions_of(family_id: str) -> Query[Suggestion]:
    """List suggestions by family."""
    return Suggestion.where(family_id=family_id)


def with_status(family_id: str, status: Status) -> Query[Suggestion]:
    """List suggestions by status, ordered by date, newest first; those pending among them."""
    return Suggestion.where("GSI2", family_id=family_id, status=status).newest_first()

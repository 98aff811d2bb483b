from homeshelf.table import HELPER, Database, Keys, Record


class CopyMark(Record):
    """The mark of an unfinished copy, with the position to resume from."""

    table = HELPER
    keys = Keys(PK="COPY", SK="COPY")

    source: str
    tables_done: tuple[str, ...] = ()
    start: dict[str, str | int] | None = None
    copied: int = 0
    again: bool = False
    """True if an earlier copy differed, so that extra records must be deleted."""


async def unfinished_copy(db: Database) -> CopyMark | None:
    return await db.get(CopyMark.key())


class ImportMark(Record):
    """The mark of an unfinished import, with its decisions."""

    table = HELPER
    keys = Keys(PK="IMPORT#{ownerId}", SK="IMPORT")

    owner_id: str
    file: str
    salt: str
    at: str
    people: dict[str, str]
    """The new ids of people who have an account here, by their ids in the file."""
    addresses: dict[str, str] = {}  # noqa: RUF012  # a field
    """The addresses for their invitations, by the same ids."""

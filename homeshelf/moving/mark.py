from homeshelf.table import HELPER, Database, Keys, Record


class CopyMark(Record):
    """Marks a database as an unfinished copy, and says where the copy continues."""

    table = HELPER
    keys = Keys(PK="COPY", SK="COPY")

    source: str
    """The digest of the source."""
    tables_done: tuple[str, ...] = ()
    start: dict[str, str | int] | None = None
    """The key after which the copy of the current table continues."""
    copied: int = 0
    again: bool = False
    """Whether an earlier copy differed, so that records absent in the source are deleted."""


async def unfinished_copy(db: Database) -> CopyMark | None:
    return await db.get(CopyMark.key())


class ImportMark(Record):
    """Marks a family or a person as being imported, with what was decided at the start."""

    table = HELPER
    keys = Keys(PK="IMPORT#{ownerId}", SK="IMPORT")

    owner_id: str
    file: str
    salt: str
    at: str
    people: dict[str, str]
    """People who have an account here already, with their ids in the imported records."""
    addresses: dict[str, str] = {}  # noqa: RUF012  # a field
    """The addresses for their invitations, by the same ids."""

from homeshelf.table import HELPER, Database, Keys, Record


class CopyMark(Record):
    """That a database is being filled by `homeshelf copy`, and where that is."""

    table = HELPER
    keys = Keys(PK="COPY", SK="COPY")

    source: str
    """A digest of where it is copied from."""
    tables_done: tuple[str, ...] = ()
    start: dict[str, str | int] | None = None
    """The key after which the next table goes on."""
    copied: int = 0
    """How many records were."""
    again: bool = False
    """Whether it was copied to the end before, and differed: what is not in the source goes."""


async def unfinished_copy(db: Database) -> CopyMark | None:
    return await db.get(CopyMark.key())


class ImportMark(Record):
    """That a family or a person is coming in from a file, and what was decided for that."""

    table = HELPER
    keys = Keys(PK="IMPORT#{ownerId}", SK="IMPORT")

    owner_id: str
    file: str
    """A digest of it."""
    salt: str
    at: str
    people: dict[str, str]
    """The members who are here already, and the ids that they have among these records."""
    addresses: dict[str, str] = {}  # noqa: RUF012  # a field
    """Where they are invited, by the same."""

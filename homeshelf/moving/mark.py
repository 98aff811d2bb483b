from homeshelf.table import HELPER, Database, Keys, Record

AT_ONCE = 500


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

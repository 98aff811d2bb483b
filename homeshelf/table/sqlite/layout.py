"""The layout of the embedded engine's file, and how a file of an older layout is brought to it.

A new file gets the tables as `schema.py` has them today. An older one goes through the migrations,
which are frozen: what they say must not follow the tables as these go on changing.
"""

import apsw

from homeshelf.table.schema import TABLES, Table

APPLICATION_ID = 0x486F6D65
MIGRATIONS: tuple[tuple[str, ...], ...] = (("DROP TABLE IF EXISTS tokens",),)
"""The statements that bring a file of version 1 to 2, of 2 to 3, and so on."""


def current_version() -> int:
    return 1 + len(MIGRATIONS)


def lay_out(connection: apsw.Connection) -> None:
    """Bring a new or an older file to the current layout, at once or not at all."""
    if _version_of(connection) == current_version():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if (version := _version_of(connection)) == 0:
            create_layout(connection)
            connection.pragma("application_id", APPLICATION_ID)
        else:
            for statements in MIGRATIONS[version - 1 :]:
                for statement in statements:
                    connection.execute(statement)
        connection.pragma("user_version", current_version())
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def create_layout(connection: apsw.Connection) -> None:
    for table in TABLES:
        for statement in layout_of(table):
            connection.execute(statement)


def layout_of(table: Table) -> list[str]:
    """A rowid table: without one, an index query of 4 kB items took three times as long."""
    name, columns = quoted(table.name), [*key_columns(table), *index_columns(table)]
    unique = f"{quoted(table.partition)}, {quoted(table.sort)}"
    statements = [
        f"CREATE TABLE IF NOT EXISTS {name}({', '.join(columns)}, item TEXT NOT NULL)",
        f"CREATE UNIQUE INDEX IF NOT EXISTS {quoted(table.name + '.key')} ON {name}({unique})",
    ]
    for index in table.indexes:
        partition, sort = quoted(index.partition), quoted(index.sort)
        statements.append(
            f"CREATE INDEX IF NOT EXISTS {quoted(f'{table.name}.{index.name}')} "
            f"ON {name}({partition}, {sort}, {unique}) "
            f"WHERE {partition} IS NOT NULL AND {sort} IS NOT NULL"
        )
    if table.ttl:
        ttl = quoted(table.ttl)
        statements.append(
            f"CREATE INDEX IF NOT EXISTS {quoted(table.name + '.ttl')} "
            f"ON {name}({ttl}) WHERE {ttl} IS NOT NULL"
        )
    return statements


def key_columns(table: Table) -> list[str]:
    kinds = {name: "INTEGER" if name in table.numbers else "TEXT" for name in table.key_attributes}
    return [f"{quoted(name)} {kinds[name]} NOT NULL" for name in (table.partition, table.sort)]


def index_columns(table: Table) -> list[str]:
    columns = [f"{quoted(name)} TEXT" for name in table.index_attributes]
    return [*columns, f"{quoted(table.ttl)} INTEGER"] if table.ttl else columns


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _version_of(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))

"""From the setting to the database."""

from homeshelf.config.addresses import DynamoDBAt, SqliteAt
from homeshelf.table.database import Database


def open_database(at: SqliteAt | DynamoDBAt) -> Database:
    """The engine's module is imported only when it is the one: the other's libraries stay out."""
    match at:
        case SqliteAt(path):
            from homeshelf.table.sqlite.engine import Sqlite  # noqa: PLC0415

            return Database(Sqlite(path))
        case DynamoDBAt(region, endpoint, prefix, prefixes):
            from homeshelf.table.dynamodb.engine import DynamoDB  # noqa: PLC0415

            return Database(DynamoDB(region, endpoint, prefix, prefixes))

"""The settings and their types."""

from homeshelf.config.addresses import DynamoDBAt, Mailbox, MailServer, SqliteAt
from homeshelf.config.settings import (
    BadSetting,
    Settings,
    declared_settings,
    find_mistakes,
    read_settings,
)
from homeshelf.config.values import Rate

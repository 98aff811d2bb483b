"""The settings, read once from `HOMESHELF_*` variables, and the kinds of values in them."""

from homeshelf.config.addresses import DynamoDBAt, SqliteAt
from homeshelf.config.settings import BadSetting, Settings, declared, read_settings
from homeshelf.config.values import Setting

__all__ = [
    "BadSetting",
    "DynamoDBAt",
    "Setting",
    "Settings",
    "SqliteAt",
    "declared",
    "read_settings",
]

"""The settings, read once from `HOMESHELF_*` variables, and the kinds of values in them."""

from homeshelf.config.addresses import DynamoDBAt, Mailbox, MailServer, SqliteAt
from homeshelf.config.environment import find_mistakes
from homeshelf.config.settings import BadSetting, Settings, declared, read_settings
from homeshelf.config.values import Rate

"""The channels: each module in this folder has a function `channel_of`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from homeshelf.config import Settings
from homeshelf.outbox.channel import Channel


def channels_of(settings: Settings) -> list[Channel]:
    return [channel for module in modules() if (channel := module.channel_of(settings))]


@cache
def modules() -> list[ModuleType]:
    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

"""The channels: each module in this folder has a function `channel_of`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from homeshelf.config import Settings
from homeshelf.outbox.channel import Channel


def channels_of(settings: Settings) -> list[Channel]:
    found: list[Channel | None] = [module.channel_of(settings) for module in modules()]
    return [channel for channel in found if channel is not None]


@cache
def modules() -> list[ModuleType]:
    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

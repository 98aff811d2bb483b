"""The channels: modules with a function `channel_of` and, except mail, an `ADDRESS` class."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from homeshelf.config import Settings
from homeshelf.outbox.channel import Channel, PersonalAddress


def channels_of(settings: Settings) -> list[Channel[Any]]:
    return [channel for module in modules() if (channel := module.channel_of(settings))]


def address_kinds() -> list[type[PersonalAddress]]:
    return [kind for module in modules() if (kind := getattr(module, "ADDRESS", None))]


@cache
def modules() -> list[ModuleType]:
    return [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]

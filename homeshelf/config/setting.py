"""What a setting is, wherever it is declared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """How a setting is written; its default may name an earlier one, as in `{data_dir}/x`."""

    variable: str
    default: str | None
    read: Callable[[str], Any]
    help: str

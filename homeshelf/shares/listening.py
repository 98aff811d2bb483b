"""How long somebody may listen to a list."""

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import Any

from homeshelf.live.listener import Right
from homeshelf.shares.access import LISTEN, Held, may
from homeshelf.shares.model import Shareable


def right_of(shared: Shareable, held: Held) -> Right:
    """Until it expires, is deleted, or its passcode is another one."""

    def until(found: Sequence[Any]) -> float:
        now: Shareable | None = found[0]
        if now is None or not may(now, held, LISTEN):
            return 0
        return ceil(datetime.fromisoformat(now.expires_at).timestamp())

    watched = frozenset({(shared.entity, shared.short_id)})
    return Right([shared.own_key()], until, watched)

"""Screens, keys and scripts: how somebody uses Homeshelf."""

from dataclasses import dataclass, field
from typing import Any

from tests.browser.screens import Screen
from tests.browser.visitor import Visitor, Visitors


@dataclass(frozen=True)
class Way:
    name: str
    screen: Screen
    kind: type[Visitor] = Visitor
    more: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    async def arrive(self, visitors: Visitors) -> Visitor:
        return await visitors.arrive(screen=self.screen, kind=self.kind, **self.more)

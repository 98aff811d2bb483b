"""For whom a handler is, as its signature says."""

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi.dependencies.models import Dependant

Dependency = TypeVar("Dependency", bound=Callable[..., Any])


def admits(who: str) -> Callable[[Dependency], Dependency]:
    """For a dependency that lets nobody else by: a person, a member, somebody in a role."""

    def mark(dependency: Dependency) -> Dependency:
        dependency.admits = who  # type: ignore[attr-defined]  # functions take any
        return dependency

    return mark


def who_asks(dependant: Dependant | None) -> str | None:
    """For whom a handler is, or None for anybody."""
    if dependant is None:
        return None
    own: str | None = getattr(dependant.call, "admits", None)
    return own or next(filter(None, map(who_asks, dependant.dependencies)), None)

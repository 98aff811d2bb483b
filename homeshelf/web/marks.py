"""What is said of a handler beside its signature, for those who look at it before it is called."""

from collections.abc import Callable
from typing import Any, TypeVar

Handler = TypeVar("Handler", bound=Callable[..., Any])


def marked(**marks: Any) -> Callable[[Handler], Handler]:
    def mark(handler: Handler) -> Handler:
        handler.__dict__.update(marks)
        return handler

    return mark

"""What access must know of a session and a membership: slices have the records."""

from typing import Protocol


class Session(Protocol):
    @property
    def session_id(self) -> str: ...


class Membership(Protocol):
    @property
    def family_id(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def is_active(self) -> bool: ...

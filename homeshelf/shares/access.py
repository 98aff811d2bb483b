"""Decide what a caller may do with a shared list, for pages, API and streams.

    view passcode   admin passcode   view                  manage
    -               -                anyone                anyone
    set             -                view token            view token
    -               set              anyone                admin token
    set             set              view or admin token   admin token

Once a list has expired, only a caller with the admin passcode may view, clone and delete it. If it
has no admin passcode, only its signed-in maker may.
"""

from dataclasses import dataclass
from typing import Literal

from homeshelf.errors import Expired, Forbidden, Unauthenticated
from homeshelf.sentences import _
from homeshelf.shares.model import Role, Shareable

Access = Literal["view", "admin"]


@dataclass(frozen=True)
class Operation:
    needs: Access
    when_expired: bool = False


VIEW = Operation("view", when_expired=True)
TICK = Operation("view")
MANAGE = Operation("admin")
CLONE_OR_DELETE = Operation("admin", when_expired=True)


@dataclass(frozen=True)
class Grant:
    """The role of a caller's token for a list, and whether the caller is its signed-in maker."""

    role: Role | None = None
    version: str | None = None
    """The version of the passcode that gave the role."""
    is_maker: bool = False

    def valid_role(self, shared: Shareable) -> Role | None:
        """Return the role, or None if its passcode has changed."""
        if self.role is None or self.version is None:
            return None
        return self.role if shared.passcode_version(self.role) == self.version else None


NO_GRANT = Grant()
EXPIRED = _("This list has expired.")


def require_access(shared: Shareable, grant: Grant, operation: Operation) -> Access:
    role = grant.valid_role(shared)
    if shared.is_expired():
        holds = role == "admin" if shared.admin_passcode is not None else grant.is_maker
        if holds and operation.when_expired:
            return "admin"
        raise Expired(EXPIRED)
    if shared.manager_role in (None, role):
        return "admin"
    if operation.needs == "view" and (shared.view_passcode is None or role is not None):
        return "view"
    if role is None:
        raise Unauthenticated(_("This list needs its passcode."), entity=shared.entity)
    raise Forbidden(_("You need the list’s admin passcode to do this."))


def is_allowed(shared: Shareable, grant: Grant, operation: Operation) -> bool:
    try:
        require_access(shared, grant, operation)
    except (Expired, Forbidden, Unauthenticated):
        return False
    return True


def maker_grant(shared: Shareable) -> Grant:
    """Return the grant of a caller who has created a list or set its passcodes."""
    role = shared.manager_role
    return Grant(role, shared.passcode_version(role)) if role else NO_GRANT

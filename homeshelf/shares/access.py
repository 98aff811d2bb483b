"""Decide what a caller may do with a shared list: pages, API and streams all ask here.

A `Held` says what the caller holds: the role and version of a token of this list, and whether
they are its signed-in maker.

    view passcode   admin passcode   view                  manage
    -               -                anyone                anyone
    set             -                view token            view token
    -               set              anyone                admin token
    set             set              view or admin token   admin token

Once a list has expired, only the holder of the admin passcode may see, clone and delete it. If it
has no admin passcode, its signed-in maker counts as that holder.
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


SEE = Operation("view", when_expired=True)
TICK = Operation("view")
MANAGE = Operation("admin")
CLONE_OR_DELETE = Operation("admin", when_expired=True)


@dataclass(frozen=True)
class Held:
    role: Role | None = None
    version: str | None = None
    """The version of the passcode that gave the role."""
    is_maker: bool = False

    def role_of(self, shared: Shareable) -> Role | None:
        """Return the role, unless that passcode was changed since."""
        if self.role is None or self.version is None:
            return None
        return self.role if shared.passcode_version(self.role) == self.version else None


NOTHING = Held()
OVER = _("This list has expired.")


def access_to(shared: Shareable, held: Held, operation: Operation) -> Access:
    """Return the caller's access to the list if it allows the operation; raise if not."""
    role = held.role_of(shared)
    if shared.is_expired():
        holds = role == "admin" if shared.admin_passcode is not None else held.is_maker
        if holds and operation.when_expired:
            return "admin"
        raise Expired(OVER)
    if shared.own_role in (None, role):
        return "admin"
    if operation.needs == "view" and (shared.view_passcode is None or role is not None):
        return "view"
    if role is None:
        raise Unauthenticated(_("This list asks for its passcode."), entity=shared.entity)
    raise Forbidden(_("Only somebody who knows the list's admin passcode may do this."))


def may(shared: Shareable, held: Held, operation: Operation) -> bool:
    try:
        access_to(shared, held, operation)
    except (Expired, Forbidden, Unauthenticated):
        return False
    return True


def held_by_maker(shared: Shareable) -> Held:
    """Return what the maker of a list holds, as does a caller who has set its passcodes."""
    role = shared.own_role
    return Held(role, shared.passcode_version(role)) if role else NOTHING

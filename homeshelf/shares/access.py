"""Who may do what with a shared list: the one place that decides it.

Pages, the API, its stream and "my lists" all ask here. What a caller holds is a `Held`: the role
and version of a token of this list, and whether they are its signed-in maker.

    view passcode   admin passcode   view                  manage
    -               -                anyone                anyone
    set             -                view token            view token
    -               set              anyone                admin token
    set             set              view or admin token   admin token

Once it has expired, the holder of the admin passcode may see, clone and delete it, and nobody else
may do anything. Where it has no admin passcode, its signed-in maker counts as that holder.
"""

from dataclasses import dataclass
from typing import Literal

from homeshelf.errors import Expired, Forbidden, Unauthenticated
from homeshelf.sentences import _
from homeshelf.shares.model import Role, Shareable

Access = Literal["view", "admin"]


@dataclass(frozen=True)
class Operation:
    """What it takes to do it, and whether an expired list allows it."""

    needs: Access
    when_expired: bool = False


SEE = Operation("view", when_expired=True)
TICK = Operation("view")
MANAGE = Operation("admin")
CLONE_OR_DELETE = Operation("admin", when_expired=True)


@dataclass(frozen=True)
class Held:
    """What a caller holds of one list."""

    role: Role | None = None
    version: str | None = None
    """Of the passcode that the role came by."""
    is_maker: bool = False

    def role_of(self, shared: Shareable) -> Role | None:
        """The role, unless that passcode was changed since."""
        if self.role is None or self.version is None:
            return None
        return self.role if shared.passcode_version(self.role) == self.version else None


NOTHING = Held()
OVER = _("This list has expired.")


def access_to(shared: Shareable, held: Held, operation: Operation) -> Access:
    """What the caller may do with the list, if that is enough for this."""
    role = held.role_of(shared)
    if shared.is_expired():
        holds = role == "admin" if shared.admin_passcode is not None else held.is_maker
        if holds and operation.when_expired:
            return "admin"
        raise Expired(OVER)
    access = _access(shared, role)
    if access == "admin" or access == operation.needs:
        return access
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
    """Who makes a list, or sets its passcodes, knows them."""
    role = shared.own_role
    return Held(role, shared.passcode_version(role)) if role else NOTHING


def _access(shared: Shareable, role: Role | None) -> Access | None:
    if shared.own_role in (None, role):
        return "admin"
    return "view" if shared.view_passcode is None or role is not None else None

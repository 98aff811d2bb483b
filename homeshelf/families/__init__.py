"""The slice of families: members, children, invitations and notifications."""

from functools import partial

from homeshelf.accounts.model import Account
from homeshelf.accounts.moving import ACCESS_DEFAULTS
from homeshelf.coordination.belongings import Belonging, of_family
from homeshelf.errors import ChooseFamily, NoFamily
from homeshelf.families import (
    api,
    children_api,
    children_pages,
    messages,
    notifications,
    pages,
    store,
)
from homeshelf.families.adopting import adopt
from homeshelf.families.links import SignInLink
from homeshelf.families.memberships import Memberships
from homeshelf.families.model import Family, Invitation, Member, PendingClaim
from homeshelf.families.moving import accounts_of, links_of, move_in
from homeshelf.outbox.notifications import NOTIFY
from homeshelf.outbox.sending import LetterWriters
from homeshelf.sentences import _
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import MenuEntry, Shell, for_members


def is_adult_of_one_family(shell: Shell) -> bool:
    account = shell.account
    return account is not None and not account.is_child and len(account.families) <= 1


def is_adult_of_several_families(shell: Shell) -> bool:
    account = shell.account
    return account is not None and not account.is_child and len(account.families) > 1


SLICE = Slice(
    name="families",
    api=[api.router, children_api.router],
    pages=[pages.router, children_pages.router, children_pages.link_router],
    menu=[
        MenuEntry("/family", _("Family"), "users", 10, for_members),
        MenuEntry("/families", _("Switch family"), "repeat", 70, is_adult_of_one_family),
        MenuEntry("/families", _("Switch family"), "repeat", 70, is_adult_of_several_families),
    ],
    offline=OfflineRules(
        secret=("sign-in-link", "join", "family/invitations", "family/children"),
        changes_person=("sign-in-link/", "join/", "families/", "family/members/"),
    ),
    remedies={NoFamily: "/families/new", ChooseFamily: "/families"},
    todos=lambda services: {
        store.INVITER_GONE: store.revoke_after_term,
        NOTIFY: partial(notifications.put_letters, services),
    },
    provides=[
        Memberships(),
        LetterWriters(
            {
                "invitation": messages.write_invitation,
                "child_address": messages.write_child_address,
                "news": notifications.write_notification,
                "daily": notifications.write_daily,
            }
        ),
    ],
    belongings=[
        of_family(Family, admins=0),
        of_family(Member),
        Belonging(Account, "family", accounts_of, ACCESS_DEFAULTS),
        of_family(Invitation, secret_hash=""),
        Belonging(SignInLink, "family", links_of, {"secret_hash": None}),
    ],
    left_out={PendingClaim: "No invitation comes in that is still open."},
    moves_in=move_in,
    adopts=adopt,
    adopted_by={Family: "admins"},
)

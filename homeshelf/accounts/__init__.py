"""The slice of accounts: sign-up, sign-in, sessions and settings of a person."""

from contextlib import AsyncExitStack
from functools import partial

from homeshelf.access.authentication import Authenticator
from homeshelf.accounts import api, messages, pages, profile
from homeshelf.accounts.addresses import AddressChange, FormerAddress, PendingAddress
from homeshelf.accounts.callers import SessionAuthenticator
from homeshelf.accounts.model import Account, Departure, EmailClaim, IdentityClaim, Session
from homeshelf.accounts.moving import ACCESS_DEFAULTS, accounts_of_person, move_in
from homeshelf.accounts.new_session import Device
from homeshelf.coordination.belongings import Belonging
from homeshelf.errors import Unauthenticated
from homeshelf.outbox.sending import LetterWriters
from homeshelf.sentences import _
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Services, Slice
from homeshelf.web.shell import MenuEntry


async def _start(services: Services, _closing: AsyncExitStack) -> None:
    services.provide(Authenticator, SessionAuthenticator(services))


SLICE = Slice(
    name="accounts",
    api=[api.router],
    pages=[pages.router, pages.open_router],
    menu=[
        MenuEntry("/settings", _("Settings"), "settings", 80),
        MenuEntry("/sign-out", _("Sign out"), "log-out", 100, ends_session=True),
    ],
    offline=OfflineRules(
        secret=("sign-in", "sign-up", "sign-out", "forgotten", "reset", "verify", "unsubscribe"),
        changes_person=("sign-in", "sign-up", "sign-out", "settings/leave"),
    ),
    remedies={Unauthenticated: "/sign-in"},
    todos=lambda services: {
        profile.DELETED: partial(profile.finish_deletion, services),
        profile.RENAMED: partial(profile.finish_renaming, services),
    },
    provides=[
        LetterWriters(
            {
                "verify": messages.write_verification,
                "reset": messages.write_reset,
                "password_changed": messages.write_password_changed,
                "new_device": messages.write_new_device,
                "new_address": messages.write_new_address,
                "address_changed": messages.write_address_changed,
            }
        )
    ],
    belongings=[Belonging(Account, "person", accounts_of_person, ACCESS_DEFAULTS)],
    left_out={
        PendingAddress: "Its links would not open anything elsewhere.",
        AddressChange: "Its link would not open anything elsewhere.",
        FormerAddress: "It is for a letter that is sent from here.",
        Departure: "It is about a person who is gone.",
        EmailClaim: "People come in without an address that signs them in.",
        IdentityClaim: "People come in without a provider that vouches for them.",
        Device: "Nobody has signed in elsewhere yet.",
        Session: "Nobody is signed in elsewhere.",
    },
    moves_in=move_in,
    start=_start,
)

"""People: how they sign up, sign in and stay signed in."""

from contextlib import AsyncExitStack
from functools import partial

from homeshelf.access.families import families_of
from homeshelf.accounts import (
    api,
    deletion,
    messages,
    pages,
    profile,
    settings_pages,
    unsubscribe_pages,
)
from homeshelf.accounts.authentication import SessionAuthenticator
from homeshelf.web.application import Application
from homeshelf.web.services import Services
from homeshelf.web.slice import Slice


async def _start(app: Application, services: Services, _closing: AsyncExitStack) -> None:
    app.state.authenticator = SessionAuthenticator(services)


SLICE = Slice(
    name="accounts",
    api=[api.router],
    pages=[pages.router, settings_pages.router, unsubscribe_pages.router],
    todos=lambda services: {
        deletion.KIND: partial(deletion.finish, services),
        profile.KIND: partial(profile.finish_renaming, families_of(services)),
    },
    letters={
        "verify": messages.write_verification,
        "reset": messages.write_reset,
        "password_changed": messages.write_password_changed,
    },
    start=_start,
)

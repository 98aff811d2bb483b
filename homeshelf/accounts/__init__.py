"""People: how they sign up, sign in and stay signed in."""

from contextlib import AsyncExitStack
from functools import partial

from homeshelf.access.families import families_of
from homeshelf.accounts import api, messages, pages, profile
from homeshelf.accounts.callers import SessionAuthenticator
from homeshelf.web.application import Application
from homeshelf.web.services import Services, Slice


async def _start(app: Application, services: Services, _closing: AsyncExitStack) -> None:
    app.state.authenticator = SessionAuthenticator(services)


SLICE = Slice(
    name="accounts",
    api=[api.router],
    pages=[pages.router],
    todos=lambda services: {
        profile.LEFT: partial(profile.finish, services),
        profile.RENAMED: partial(profile.finish_renaming, families_of(services)),
    },
    letters={
        "verify": messages.write_verification,
        "reset": messages.write_reset,
        "password_changed": messages.write_password_changed,
    },
    start=_start,
)

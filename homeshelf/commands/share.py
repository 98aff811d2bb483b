"""`homeshelf share`: lists that anyone can be handed, for the person who runs the machine."""

import os
import sys

import typer
from pydantic import BaseModel, ValidationError

from homeshelf.app import SLICES
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.printing import say
from homeshelf.config import read_settings
from homeshelf.shares import making, store
from homeshelf.shares.fields import NO_SUCH_LIST, NewPasscode
from homeshelf.shares.model import Role, short_id_of
from homeshelf.table import Database
from homeshelf.web.services import open_services


class Given(BaseModel):
    passcode: NewPasscode


def set_passcode(typed: str, *, view: bool, admin: bool, from_stdin: bool) -> None:
    if view == admin:
        raise CannotRun("Say which passcode: --view or --admin.")
    role: Role = "view" if view else "admin"
    passcode = _checked(_passcode(from_stdin))
    settings = read_settings(os.environ)

    async def work(db: Database) -> str:
        services = await open_services(settings, db, SLICES)
        shared = await store.shareable(db, short_id_of(typed) or "none")
        if shared is None:
            raise CannotRun(NO_SUCH_LIST)
        wanted = store.ListChange(shared.version)
        await making.change_list(services, None, shared, wanted, {role: passcode})
        return shared.name

    name = with_database(work)
    say(f"{name} has a new {role} passcode, and who knew the old one is asked for it.")


def _passcode(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise CannotRun(
            "There is no terminal to type a passcode at: pipe one in with --passcode-stdin."
        )
    typed: str = typer.prompt("Passcode", hide_input=True, confirmation_prompt="Once more")
    return typed


def _checked(passcode: str) -> str | None:
    try:
        return Given(passcode=passcode).passcode
    except ValidationError as wrong:
        raise CannotRun(" ".join(error["msg"] for error in wrong.errors())) from None

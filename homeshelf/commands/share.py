"""The command `homeshelf share passcode`."""

import os

from pydantic import BaseModel

from homeshelf.app import SLICES
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import print_line, read_secret, validate
from homeshelf.config import read_settings
from homeshelf.shares import list_creation, store
from homeshelf.shares.fields import NO_SUCH_LIST, NewPasscode
from homeshelf.shares.model import Role, normalize_short_id
from homeshelf.table import Database
from homeshelf.web.services import open_services


class PasscodeForm(BaseModel):
    passcode: NewPasscode


def set_passcode(typed: str, *, view: bool, admin: bool, from_stdin: bool) -> None:
    if view == admin:
        raise CannotRun("Say which passcode: --view or --admin.")
    role: Role = "view" if view else "admin"
    passcode = validate(
        PasscodeForm, passcode=read_secret("passcode", from_stdin=from_stdin)
    ).passcode
    settings = read_settings(os.environ)

    async def work(db: Database) -> str:
        services = await open_services(settings, db, SLICES)
        shared = await store.find_shareable(db, normalize_short_id(typed) or "none")
        if shared is None:
            raise CannotRun(NO_SUCH_LIST)
        wanted = store.ListChange(shared.version)
        await list_creation.change_list(services, None, shared, wanted, {role: passcode})
        return shared.name

    name = with_database(work)
    print_line(f"{name} has a new {role} passcode, and who knew the old one is asked for it.")

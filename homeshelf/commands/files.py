"""The commands `homeshelf export` and `homeshelf import`."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid5

import typer

from homeshelf import clock
from homeshelf.accounts import store as accounts
from homeshelf.accounts.model import Account
from homeshelf.app import SLICES
from homeshelf.commands import CannotRun
from homeshelf.commands.database import with_database
from homeshelf.commands.terminal import progress_bar
from homeshelf.config import read_settings
from homeshelf.controls import printable
from homeshelf.coordination.leases import lease_while_held
from homeshelf.families.model import (
    INVITATION_LIFETIME,
    Family,
    Invitation,
    Member,
    invitation_token,
    link_secret,
)
from homeshelf.moving.export import export_records
from homeshelf.moving.file_import import (
    MAX_FILE_BYTES,
    BadFile,
    Export,
    Plan,
    plan_import,
    read_file,
    run_import,
)
from homeshelf.moving.files import write_new_file
from homeshelf.signing import digest
from homeshelf.table import Database
from homeshelf.table.sqlite.copies import Progress, no_progress
from homeshelf.web.ids import is_id
from homeshelf.web.services import Services, open_services


def export(file: Path, family: str | None, person: str | None) -> None:
    if (family is None) == (person is None):
        raise CannotRun("Name one family with --family, or one person with --person.")

    async def work(db: Database, progress: Progress) -> tuple[bytes, int]:
        if family:
            family_id = family.lower()
            if not is_id(family) or await db.get(Family.key(family_id=family_id)) is None:
                raise CannotRun(f"There is no family {family}.")
            return await export_records(db, SLICES, "family", family_id, progress)
        account = await accounts.get_account_by_email(db, person or "")
        if account is None:
            raise CannotRun(f"There is no account with {person}.")
        return await export_records(db, SLICES, "person", account.member_id, progress)

    with progress_bar("Reading") as progress:
        text, records = with_database(lambda db: work(db, progress))
    try:
        write_new_file(file, text)
    except OSError as error:
        raise CannotRun(f"{file} cannot be written: {error.strerror}.") from None
    typer.echo(f"{file} has {records:,} records. Tags that it names can be used by who has it.")


def import_(file: Path) -> None:
    try:
        with file.open("rb") as opened:
            found = read_file(opened.read(MAX_FILE_BYTES + 1), SLICES)
    except OSError as error:
        raise CannotRun(f"{file} cannot be read: {error.strerror}.") from None
    except BadFile as refused:
        raise CannotRun(str(refused)) from None
    settings = read_settings(os.environ)

    async def work(db: Database, progress: Progress) -> tuple[Plan, list[str]]:
        try:
            return await import_records(await open_services(settings, db, SLICES), found, progress)
        except BadFile as refused:
            raise CannotRun(str(refused)) from None

    with progress_bar("Bringing in") as progress:
        plan, ways = with_database(lambda db: work(db, progress))
    typer.echo(f"{len(plan.records) + 1:,} records came in.")
    for way in ways:
        typer.echo(way)


async def import_records(
    services: Services, file: Export, progress: Progress = no_progress
) -> tuple[Plan, list[str]]:
    """Import a file, and return the plan and a sentence on how each person signs in."""
    # Two imports at once could create the same person twice.
    async with lease_while_held(services.db, "import", clock.new_id()) as held:
        if held is None:
            raise BadFile("Another file is being imported: try again in half a minute.")
        if file.owner == "person":
            return await _import_person(services, file, progress)
        return await _import_family(services, file, progress)


async def _import_person(
    services: Services, file: Export, progress: Progress
) -> tuple[Plan, list[str]]:
    plan = await plan_import(services.db, SLICES, file, Account, {})
    account = plan.head
    assert isinstance(account, Account)  # noqa: S101  # what was asked for
    is_taken = await accounts.get_account_by_email(services.db, account.email) is not None
    if is_taken and not plan.resumed:
        raise BadFile(f"Another account has the address {account.email}: nothing was changed.")
    await run_import(services.db, plan, progress)
    return plan, [_password_hint(account)]


async def _import_family(
    services: Services, file: Export, progress: Progress
) -> tuple[Plan, list[str]]:
    db = services.db
    plan = await plan_import(db, SLICES, file, Family, await _existing_accounts(db, file))
    invitations = _invitations(services, file, plan)
    theirs = [record for each in invitations for record in (each, each.claim)]
    plan = replace(plan, records=[*plan.records, *theirs])
    await run_import(db, plan, progress)
    people = [each for each in plan.records if isinstance(each, Account)]
    base = services.settings.public_url or ""
    return plan, [
        *(_password_hint(each) for each in people if each.email and not each.is_child),
        *(
            f"{printable(each.email)} has an account here, and is invited for a week: "
            f"{base}/join/{invitation_token(services.signer, each)}"
            for each in invitations
        ),
    ]


async def _existing_accounts(db: Database, file: Export) -> dict[str, str]:
    """Return the addresses of people with an account here, by their ids in the file."""
    found: dict[str, str] = {}
    for kind in (Member, Account):
        for each in file.records.get(kind.__name__, []):
            member_id, given = str(each.get("memberId")), each.get("email")
            email = given if isinstance(given, str) else ""
            known = await accounts.get_account(db, member_id) if is_id(member_id) else None
            if known is None and email:
                known = await accounts.get_account_by_email(db, email)
            if known is not None:
                found[member_id] = found.get(member_id) or email or known.email
    return found


def _invitations(services: Services, file: Export, plan: Plan) -> list[Invitation]:
    """Return invitations for people with an account here, from an imported admin."""
    members = {each.member_id: each for each in plan.records if isinstance(each, Member)}
    maker = next(each for each in members.values() if each.is_admin)
    expires_at = clock.timestamp(datetime.fromisoformat(plan.mark.at) + INVITATION_LIFETIME)
    invited: dict[str, Invitation] = {}
    for member_id, email in plan.mark.addresses.items():
        member = members.get(plan.mark.people[member_id])
        if member is None or not member.is_active or not email:
            continue
        invitation_id = str(uuid5(UUID(file.owner_id), f"invitation {member.member_id}"))
        secret = link_secret(services.signer, "invitation", file.owner_id, invitation_id, 1)
        invited[email.lower()] = Invitation(
            invitation_id=invitation_id,
            family_id=file.owner_id,
            email=email,
            role=member.role,
            invited_by=maker.member_id,
            term=maker.term,
            expires_at=expires_at,
            secret_hash=digest(secret),
            created_at=plan.mark.at,
            updated_at=plan.mark.at,
        )
    return list(invited.values())


def _password_hint(account: Account) -> str:
    way = f"homeshelf user reset-password {account.member_id}"
    return f"{printable(account.name)} has no password yet: {way}"

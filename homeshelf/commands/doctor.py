"""The command `homeshelf doctor`, which checks the whole installation."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import typer

from homeshelf import clock
from homeshelf.app import SLICES
from homeshelf.commands.findings import clock_findings, mail_finding, records_findings
from homeshelf.commands.terminal import print_line
from homeshelf.config import BadSetting, Settings, SqliteAt, find_mistakes, read_settings
from homeshelf.coordination.leases import hold_lease, release_lease
from homeshelf.coordination.signing_keys import key_file, read_keys
from homeshelf.private_files import OTHERS, WRITING, is_missing, is_open_to_others
from homeshelf.table import CannotOpen, TableError, open_database
from homeshelf.table.sqlite.file import files_of
from homeshelf.web.forwarding import proxy_finding

FREE_MEGABYTES = 200


@dataclass(frozen=True)
class Finding:
    what: str
    text: str
    ok: bool = True


def examine() -> int:
    """Print the findings, and return 1 if something is wrong."""
    findings = asyncio.run(_collect_findings())
    for finding in findings:
        print_line(f"{'ok   ' if finding.ok else 'WRONG'} {finding.what}: {finding.text}")
    wrong = sum(not finding.ok for finding in findings)
    typer.echo(f"\n{wrong} of {len(findings)} need your attention." if wrong else "\nAll is well.")
    return int(wrong > 0)


async def _collect_findings() -> list[Finding]:
    found = [Finding("settings", mistake, ok=False) for mistake in find_mistakes(os.environ)]
    try:
        settings = read_settings(os.environ)
    except BadSetting as wrong:
        return [*found, Finding("settings", str(wrong), ok=False)]
    found = found or [Finding("settings", "they can be read.")]
    if isinstance(settings.database, SqliteAt):
        found.append(_folder_finding(settings.database.path.parent))
    found += [finding async for finding in _database_findings(settings)]
    found += [Finding("clock", text, ok) for text, ok in await clock_findings(settings)]
    if isinstance(settings.database, SqliteAt):  # opening restricts access to the files
        found.append(_privacy_finding(settings.database.path, settings.data_dir))
    at = settings.public_url
    unset = "HOMESHELF_PUBLIC_URL is unset: they carry the address that the page was opened at."
    links = Finding("links", f"they begin with {at}." if at else unset)
    found += [_key_finding(settings), links, Finding("mail", *await mail_finding(settings))]
    for each in SLICES:
        if examined := await each.examine(settings):
            found.append(Finding(each.name, *examined))
    return found


def _folder_finding(folder: Path) -> Finding:
    there = next(each for each in (folder, *folder.absolute().parents) if not is_missing(each))
    try:
        with tempfile.TemporaryFile(dir=there):
            free = shutil.disk_usage(there).free // 1_000_000
    except OSError as error:
        advice = "choose another with HOMESHELF_DATA_DIR, or change who owns it"
        return Finding("folder", f"{there} cannot be written ({error.strerror}); {advice}.", False)
    if free < FREE_MEGABYTES:
        return Finding("folder", f"{there} has {free} MB left on its disk; make room.", ok=False)
    return Finding("folder", f"{folder} can be written, with {free:,} MB left on its disk.")


async def _database_findings(settings: Settings) -> AsyncIterator[Finding]:
    at = settings.database
    if isinstance(at, SqliteAt) and is_missing(at.path):
        yield Finding("database", f"{at.path} is not there yet; `homeshelf serve` makes it.")
        return
    try:
        db = open_database(at)
    except CannotOpen as error:
        yield Finding("database", str(error), ok=False)
        return
    try:
        wrong = " ".join(await db.engine.check_tables())
        right = "they are as this version needs them."
        advice = f"{wrong} Run `homeshelf tables create`."
        yield Finding("tables", advice if wrong else right, ok=not wrong)
        me = clock.new_id()
        if await hold_lease(db, "doctor", me):
            await release_lease(db, "doctor", me)
        yield Finding("database", "it can be read and written.")
        adopted_by = {kind: name for each in SLICES for kind, name in each.adopted_by.items()}
        async for finding in records_findings(db, adopted_by):
            yield Finding(*finding)
        yield Finding("proxy", *await proxy_finding(db, settings))
        for each in SLICES:
            if mended := await each.mend(db):
                yield Finding(*mended)
    except TableError as error:
        yield Finding("database", str(error), ok=False)
    finally:
        await db.close()


def _privacy_finding(database: Path, data_dir: Path) -> Finding:
    # Others may read a folder that is not Homeshelf's own.
    folder = database.parent
    ours = folder.absolute() == data_dir.absolute()
    lax = [(folder, 700)] if is_open_to_others(folder, OTHERS if ours else WRITING) else []
    lax += [(file, 600) for file in files_of(database) if is_open_to_others(file)]
    if lax:
        commands = " and ".join(f"`chmod {mode} {path}`" for path, mode in lax)
        names = ", ".join(str(path) for path, _ in lax)
        return Finding("privacy", f"others on this machine can use {names}; run {commands}.", False)
    return Finding("privacy", "the folder and the database are for their owner only.")


def _key_finding(settings: Settings) -> Finding:
    if settings.secret is not None:
        return Finding("signing key", "it is HOMESHELF_SECRET.")
    path = key_file(settings)
    if path is None:
        return Finding("signing key", "it is kept in the database.")
    if is_missing(path):
        return Finding("signing key", f"{path} is not there yet; `homeshelf serve` makes it.")
    try:
        read_keys(path)
    except CannotOpen as error:
        return Finding("signing key", str(error), ok=False)
    if is_open_to_others(path):
        advice = f"others on this machine can read {path}; run `chmod 600 {path}`."
        return Finding("signing key", advice, ok=False)
    return Finding("signing key", f"{path} is for its owner only.")

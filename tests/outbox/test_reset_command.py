"""Test the letter after a password reset on the command line."""

from pathlib import Path

from homeshelf.accounts.model import Account, EmailClaim, digest_of_email
from homeshelf.table import Database
from homeshelf.table.sqlite.engine import Sqlite
from tests.forked_processes import run, served
from tests.outbox.post_office import PostOffice


async def test_password_reset_by_command_is_reported_to_the_owner(
    tmp_path: Path, office: PostOffice
) -> None:
    def run_user_command(*words: str, typed: str) -> None:
        done = run(tmp_path, "user", *words, "--password-stdin", typed=typed, **office.variables)
        assert done.returncode == 0, done.stderr

    run_user_command("create", "ada@home.local", "--name", "Ada", typed="correct horse battery\n")
    await _verify(tmp_path / "data" / "homeshelf.db", "ada@home.local")
    run_user_command("reset-password", "ada@home.local", typed="another horse battery\n")
    with served(tmp_path, **office.variables):
        mail = await office.mail(within=30)
    assert (mail.to, mail.message["subject"]) == (["ada@home.local"], "Your password was changed")


async def _verify(file: Path, email: str) -> None:
    db = Database(Sqlite(file))
    claim = await db.get(EmailClaim.key(email_digest=digest_of_email(email)))
    assert claim is not None
    key = Account.key(member_id=claim.holder)
    await db.change(key, lambda old: old.changed(email_verified=True))
    await db.close()

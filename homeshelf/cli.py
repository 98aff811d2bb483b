"""The command line: how each command is called, with an example.

What a command does stands in `commands/`, and is loaded when it runs: `homeshelf --help` must not
take the time that the whole application takes to load.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from homeshelf import __version__
from homeshelf.commands import CannotRun
from homeshelf.config import BadSetting

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
user = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(user, name="user", help="Make and list accounts, and say who is let in.")
share = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(share, name="share", help="Look after lists that were handed on.")
tables = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(tables, name="tables", help="Make, list and check the tables of the database.")

key_ = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(key_, name="key", help="See to the key that signs tokens and links.")

Email = Annotated[str, typer.Argument(help="The e-mail address that somebody signs in with.")]
Who = Annotated[
    str, typer.Argument(metavar="EMAIL", help="The e-mail address of an account, or its memberId.")
]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the standard input.")
]


def main() -> None:
    try:
        app()
    except Exception as error:
        if not _is_plain(error):
            raise
        typer.echo(str(error), err=True)
        sys.exit(2)


@app.callback(invoke_without_command=True)
def homeshelf(
    version: Annotated[bool, typer.Option("--version", help="Say the version and leave.")] = False,
) -> None:
    """What is at home, what runs low and what to buy, shared by a household.

    \b
    Begin with:
        homeshelf serve

    Settings are environment variables, such as HOMESHELF_DATA_DIR for where the data lives. Every
    command says more about itself with --help.
    """
    if version:
        typer.echo(f"Homeshelf {__version__}")
        raise typer.Exit


@app.command()
def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 lets others in your network in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="How many processes serve. A household needs one.")
    ] = 1,
    certificate: Annotated[
        Path | None, typer.Option(help="A certificate as PEM, to serve HTTPS.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The certificate's key as PEM.")] = None,
) -> None:
    """Serve the household until it is told to stop (Ctrl-C).

    \b
    Examples:
        homeshelf serve
        homeshelf serve --host 0.0.0.0 --port 80
        homeshelf serve --host 0.0.0.0 --certificate shelf.pem --key shelf.key

    On DynamoDB the tables must be there: `homeshelf tables create` makes them.
    """
    from homeshelf.commands import serve as command

    raise typer.Exit(command.serve(host, port, workers, certificate, key))


@app.command()
def doctor() -> None:
    """Say what is wrong with the installation, and what to do.

    It looks at the settings, the folder, the database, the clock, the signing key, the mail
    server and the identity provider.

    \b
    Example:
        homeshelf doctor

    It ends with 1 where something is wrong, and with 0 otherwise.
    """
    from homeshelf.commands import doctor as command

    raise typer.Exit(command.examine())


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option(help="Where the household moves in. Your own data is never touched.")
    ] = Path("data-demo"),
) -> None:
    """Make up a household to look around in.

    Two adults, two kids, and what they keep at home.

    \b
    Example:
        homeshelf demo
        HOMESHELF_DATA_DIR=data-demo homeshelf serve
    """
    from homeshelf.commands import demo as command

    command.furnish_demo(folder)


@app.command()
def backup(
    target: Annotated[
        Path,
        typer.Argument(metavar="FILE|FOLDER", help="Where to; in a folder, named by the date."),
    ],
    keep: Annotated[
        int | None, typer.Option(min=1, help="How many to keep in the folder; older ones go.")
    ] = None,
) -> None:
    """Copy the embedded database, also while Homeshelf runs, and read the copy back.

    \b
    Examples:
        homeshelf backup monday.db
        homeshelf backup /var/backups/homeshelf --keep 7

    The file holds everything, the signing key too: keep it as safe as the house.
    """
    from homeshelf.commands import moving as command

    command.backup(target, keep)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    over: Annotated[
        bool, typer.Option("--over", help="In the place of what is there, which is kept beside it.")
    ] = False,
) -> None:
    """Go back to a backup. Homeshelf must not run, and everybody signs in again.

    \b
    Example:
        homeshelf restore /var/backups/homeshelf/homeshelf-20260301-031500.db

    Tags, invitations, removed members, roles and passwords are as they were then.
    """
    from homeshelf.commands import moving as command

    command.restore(file, over=over)


@app.command()
def copy(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="The database to copy.")],
    target: Annotated[
        str, typer.Option("--to", metavar="URL", help="Where to: a database with nothing in it.")
    ],
) -> None:
    """Copy everything from one database to another, of whichever kind, and compare both.

    \b
    Example:
        homeshelf copy --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    Stop Homeshelf first. A copy that was interrupted goes on where it was. It ends with 1 where
    the two differ, which means that something changed meanwhile.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.copy(source, target))


@app.command()
def verify(
    source: Annotated[str, typer.Option("--from", metavar="URL", help="One database.")],
    target: Annotated[str, typer.Option("--to", metavar="URL", help="The other one.")],
) -> None:
    """Compare two databases, kind by kind: how many records, and whether they are the same.

    \b
    Example:
        homeshelf verify --from sqlite:///data/homeshelf.db --to dynamodb://eu-central-1

    It ends with 1 where they differ, and with 0 otherwise.
    """
    from homeshelf.commands import moving as command

    raise typer.Exit(command.verify(source, target))


@app.command("export")
def export_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that is not there yet.")],
    family: Annotated[
        str | None, typer.Option(metavar="ID", help="The familyId of a family.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(metavar="EMAIL", help="The e-mail address of a person.")
    ] = None,
) -> None:
    """Write one family, or one person, into a file of JSON, without passwords and links.

    \b
    Examples:
        homeshelf export lovelaces.json --family 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e
        homeshelf export ada.json --person ada@example.com

    The addresses of tags are in it, so that those on the shelves work elsewhere too.
    """
    from homeshelf.commands import files as command

    command.export(file, family, person)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `homeshelf export` wrote.")],
) -> None:
    """Take in one family, or one person, from a file that `homeshelf export` wrote.

    \b
    Example:
        homeshelf import lovelaces.json

    Nothing that is here changes. It says how each of the people gets in. What was interrupted
    goes on with the same file.
    """
    from homeshelf.commands import files as command

    command.import_(file)


@app.command()
def adopt(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do.")
    ] = False,
    issuer: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An identity provider that calls people by memberId."),
    ] = None,
) -> None:
    """Take over tables that another program filled, and make what Homeshelf needs beside them.

    \b
    Examples:
        homeshelf adopt --dry-run
        homeshelf adopt
        homeshelf adopt --issuer https://id.example

    Stop both programs first. It says what it will do, can be stopped at any moment, and does
    nothing when it is run again. With --issuer each member is whom that provider calls by their
    memberId; without it people come in by links of `homeshelf user reset-password --link`.
    """
    from homeshelf.commands import adopt as command

    command.adopt(issuer, dry_run=dry_run)


@user.command("create")
def create_user(
    email: Email,
    name: Annotated[str, typer.Option(help="What the others call them.")],
    password_stdin: PasswordStdin = False,
) -> None:
    """Make an account, also where nobody can sign up by themselves.

    \b
    Examples:
        homeshelf user create ada@example.com --name Ada
        homeshelf user create ada@example.com --name Ada --password-stdin < password.txt

    It asks for the password, and does not show what you type.
    """
    from homeshelf.commands import user as command

    command.create(email, name, from_stdin=password_stdin)


@user.command("reset-password")
def reset_password(
    email: Annotated[
        str, typer.Argument(help="The e-mail address of an account, or its memberId.")
    ],
    password_stdin: PasswordStdin = False,
    link: Annotated[
        bool, typer.Option("--link", help="Show a link that lets them set it themselves, once.")
    ] = False,
) -> None:
    """Give somebody a new password. Everybody who is signed in as them is signed out.

    \b
    Examples:
        homeshelf user reset-password ada@example.com
        homeshelf user reset-password ada@example.com --link

    Who came in from a file is named by their memberId, and signs in with their address then. With
    --link nothing changes until the link is used, which is good for a day.
    """
    if link:
        from homeshelf.commands import reset_link

        reset_link.show_reset_link(email)
        return
    from homeshelf.commands import user as command

    command.reset_password(email, from_stdin=password_stdin)


@user.command()
def link(
    email: Annotated[
        str, typer.Argument(help="The e-mail address of an account, or its memberId.")
    ],
    sub: Annotated[str, typer.Argument(help="What the identity provider calls the person.")],
) -> None:
    """Say whom an account belongs to, where an identity provider says who people are.

    \b
    Example:
        homeshelf user link ada@example.com 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e

    The provider is HOMESHELF_OIDC_ISSUER, and SUB the `sub` of its tokens. An account that was
    linked to another one before is signed out everywhere.
    """
    from homeshelf.commands import link as command

    command.link(email, sub)


@user.command("list")
def list_users() -> None:
    """List everybody who has an account.

    \b
    Example:
        homeshelf user list

    Address, name, families, the last day on which a device of theirs was in use, whether the
    account is switched off, and its memberId. It reads the whole helper table.
    """
    from homeshelf.commands import people as command

    command.list_()


@user.command()
def disable(who: Who) -> None:
    """Keep somebody out. They are signed out everywhere at once, and nothing lets them in.

    \b
    Example:
        homeshelf user disable ada@example.com

    What is theirs stays, and so do their families. `homeshelf user enable` lets them in again.
    """
    from homeshelf.commands import people as command

    command.disable(who)


@user.command()
def enable(who: Who) -> None:
    """Let somebody in again who was kept out.

    \b
    Example:
        homeshelf user enable ada@example.com
    """
    from homeshelf.commands import people as command

    command.enable(who)


@user.command("sign-out")
def sign_out(who: Who) -> None:
    """Sign somebody out everywhere, such as after a phone was lost.

    \b
    Example:
        homeshelf user sign-out ada@example.com

    They sign in again with the password that they have.
    """
    from homeshelf.commands import people as command

    command.sign_out(who)


@share.callback()
def shares() -> None:
    pass


@share.command()
def passcode(
    short_id: Annotated[str, typer.Argument(metavar="SHORTID", help="The short id of a list.")],
    view: Annotated[bool, typer.Option("--view", help="The passcode to see the list.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="The passcode to change it.")] = False,
    passcode_stdin: Annotated[
        bool, typer.Option("--passcode-stdin", help="Read the passcode from the standard input.")
    ] = False,
) -> None:
    """Give a shared list a new passcode, without knowing the one that it has.

    \b
    Example:
        homeshelf share passcode abc-def-12345 --view

    For a list whose passcode another program has kept in its own way. It asks for the new one, and
    does not show what you type.
    """
    from homeshelf.commands import share as command

    command.set_passcode(short_id, view=view, admin=admin, from_stdin=passcode_stdin)


@tables.command()
def create() -> None:
    """Make the tables that are missing. Doing it again changes nothing.

    \b
    Example:
        HOMESHELF_DATABASE=dynamodb://eu-central-1 homeshelf tables create
    """
    from homeshelf.commands import database as command

    command.create()


@tables.command("list")
def list_() -> None:
    """Name the tables that are there.

    \b
    Example:
        homeshelf tables list
    """
    from homeshelf.commands import database as command

    command.list_()


@tables.command()
def check() -> None:
    """Compare the tables with what this version needs, and say what differs.

    \b
    Example:
        homeshelf tables check && homeshelf serve
    """
    from homeshelf.commands import database as command

    raise typer.Exit(command.check())


@key_.command()
def rotate(
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Everybody signs in again: it may be known to others.")
    ] = False,
) -> None:
    """Let another key sign tokens and links from now on, without signing anybody out.

    \b
    Examples:
        homeshelf key rotate
        homeshelf key rotate --at-once

    What the key before has signed holds for as long as it would have. Processes that run notice.
    """
    from homeshelf.commands import key as command

    command.rotate(at_once=at_once)


def _is_plain(error: Exception) -> bool:
    """Whether its text is a sentence for the person at the command line."""
    if isinstance(error, CannotRun | BadSetting):
        return True
    # Only a command that has loaded the tables can have failed with one of their errors.
    if "homeshelf.table" not in sys.modules:
        return False
    from homeshelf.errors import HomeshelfError
    from homeshelf.table import CannotOpen, Unavailable, Unreadable

    return isinstance(error, HomeshelfError | CannotOpen | Unavailable | Unreadable)

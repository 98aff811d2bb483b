"""Commands that manage accounts."""

from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Email = Annotated[str, typer.Argument(help="The e-mail address that somebody signs in with.")]
Who = Annotated[
    str, typer.Argument(metavar="EMAIL", help="The e-mail address of an account, or its memberId.")
]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the standard input.")
]


@commands.command("create")
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


@commands.command("reset-password")
def reset_password(
    email: Who,
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
    from homeshelf.commands import user as command

    if link:
        command.show_reset_link(email)
    else:
        command.reset_password(email, from_stdin=password_stdin)


@commands.command()
def link(
    email: Who,
    sub: Annotated[str, typer.Argument(help="What the identity provider calls the person.")],
) -> None:
    """Say whom an account belongs to, where an identity provider says who people are.

    \b
    Example:
        homeshelf user link ada@example.com 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e

    The provider is HOMESHELF_OIDC_ISSUER, and SUB the `sub` of its tokens. An account that was
    linked to another one before is signed out everywhere.
    """
    from homeshelf.commands import user as command

    command.link(email, sub)


@commands.command("list")
def list_users() -> None:
    """List everybody who has an account.

    \b
    Example:
        homeshelf user list

    Address, name, families, the last day on which a device of theirs was in use, whether the
    account is switched off, and its memberId. It reads the whole helper table.
    """
    from homeshelf.commands import user as command

    command.list_()


@commands.command()
def disable(email: Who) -> None:
    """Keep somebody out. They are signed out everywhere at once, and nothing lets them in.

    \b
    Example:
        homeshelf user disable ada@example.com

    What is theirs stays, and so do their families. `homeshelf user enable` lets them in again.
    """
    from homeshelf.commands import user as command

    command.disable(email)


@commands.command()
def enable(email: Who) -> None:
    """Let somebody in again who was kept out.

    \b
    Example:
        homeshelf user enable ada@example.com
    """
    from homeshelf.commands import user as command

    command.enable(email)


@commands.command("sign-out")
def sign_out(email: Who) -> None:
    """Sign somebody out everywhere, such as after a phone was lost.

    \b
    Example:
        homeshelf user sign-out ada@example.com

    They sign in again with the password that they have.
    """
    from homeshelf.commands import user as command

    command.sign_out(email)

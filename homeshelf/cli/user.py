"""Commands that manage accounts."""

from typing import Annotated

import typer

commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Email = Annotated[str, typer.Argument(help="The e-mail address for signing in.")]
Who = Annotated[str, typer.Argument(metavar="EMAIL", help="An e-mail address or a memberId.")]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read it from stdin.")]


@commands.command("create")
def create_user(
    email: Email,
    name: Annotated[str, typer.Option(help="The person's name.")],
    password_stdin: PasswordStdin = False,
) -> None:
    """Create an account, even if sign-up is closed.

    \b
    Examples:
        homeshelf user create ada@example.com --name Ada
        homeshelf user create ada@example.com --name Ada --password-stdin < password.txt

    It prompts for the password without showing your input.
    """
    from homeshelf.commands import user as command

    command.create(email, name, from_stdin=password_stdin)


@commands.command("reset-password")
def reset_password(
    email: Who,
    password_stdin: PasswordStdin = False,
    link: Annotated[bool, typer.Option("--link", help="Print a link to set a password.")] = False,
) -> None:
    """Reset a person's password and sign all their devices out.

    \b
    Examples:
        homeshelf user reset-password ada@example.com
        homeshelf user reset-password ada@example.com --link

    Use the memberId for a person from an imported file, who signs in with their address
    afterwards. With --link nothing changes until the link is used; it is valid for a day.
    """
    from homeshelf.commands import user as command

    if link:
        command.show_reset_link(email)
    else:
        command.reset_password(email, from_stdin=password_stdin)


@commands.command()
def link(
    email: Who,
    sub: Annotated[str, typer.Argument(help="The person's subject at the identity provider.")],
) -> None:
    """Link an account to a person at the identity provider.

    \b
    Example:
        homeshelf user link ada@example.com 0f4c8f2e-6d1b-4c7a-9d57-3f0a1b2c3d4e

    The provider is HOMESHELF_OIDC_ISSUER, and SUB the `sub` of its tokens. An account that was
    linked to another subject is signed out everywhere.
    """
    from homeshelf.commands import user as command

    command.link(email, sub)


@commands.command("list")
def list_users() -> None:
    """List all accounts.

    \b
    Example:
        homeshelf user list

    It prints the address, name, families, last day of use, state and memberId of each account.
    It reads the whole helper table.
    """
    from homeshelf.commands import user as command

    command.list_()


@commands.command()
def disable(email: Who) -> None:
    """Disable an account: sign it out everywhere, and refuse every sign-in.

    \b
    Example:
        homeshelf user disable ada@example.com

    Their data and families stay. `homeshelf user enable` enables the account again.
    """
    from homeshelf.commands import user as command

    command.disable(email)


@commands.command()
def enable(email: Who) -> None:
    """Enable a disabled account.

    \b
    Example:
        homeshelf user enable ada@example.com
    """
    from homeshelf.commands import user as command

    command.enable(email)


@commands.command("sign-out")
def sign_out(email: Who) -> None:
    """Sign a person out everywhere, such as after a phone was lost.

    \b
    Example:
        homeshelf user sign-out ada@example.com

    They can sign in again with their password.
    """
    from homeshelf.commands import user as command

    command.sign_out(email)

"""Mail to people about their accounts: what it is, and where it is put to be sent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from homeshelf.accounts import tokens
from homeshelf.accounts.model import Account
from homeshelf.config import Settings
from homeshelf.signing import Signer
from homeshelf.table import Write


@dataclass(frozen=True)
class Letter:
    kind: Literal["verify", "reset"]
    to: str
    name: str
    token: str = field(repr=False)
    """The last part of the link."""


def verification_letter(signer: Signer, account: Account) -> Letter:
    token = tokens.verification_token(signer, account)
    return Letter("verify", account.email, account.name, token)


def reset_letter(signer: Signer, account: Account) -> Letter:
    return Letter("reset", account.email, account.name, tokens.reset_token(signer, account))


def can_send(_settings: Settings) -> bool:
    """Whether a mail server is configured."""
    return False


def outbox_writes(settings: Settings, *letters: Letter) -> Sequence[Write]:
    """The writes that put letters into the outbox; none without a mail server."""
    return () if not can_send(settings) else [_put(letter) for letter in letters]


def _put(letter: Letter) -> Write:
    raise NotImplementedError(letter.kind)

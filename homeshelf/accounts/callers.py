"""Who is asking, with the records of their account."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends

from homeshelf.access import SignedIn, signed_in
from homeshelf.access.view import View, for_person
from homeshelf.accounts.model import Account, Session


@dataclass(frozen=True)
class AccountHolder(SignedIn):
    account: Account
    session: Session


Person = Annotated[AccountHolder, Depends(signed_in)]
PersonView = Annotated[View[AccountHolder], Depends(for_person)]

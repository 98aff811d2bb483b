"""What is sent about families: by programs, and by the forms of the pages."""

from homeshelf.families.fields import FamilyName, Invitation, PersonsName, Role
from homeshelf.web.body import NOT_SENT, Body, Email, NewBody, Version


class NewFamily(NewBody):
    name: FamilyName


class FamilyChange(Body):
    name: FamilyName
    version: Version


class MemberChange(Body):
    role: Role = NOT_SENT
    name: PersonsName = NOT_SENT
    version: Version


class NewInvitation(NewBody):
    email: Email
    role: Role


class Answered(NewBody):
    """An invitation, by the token of its link or as one for my own address."""

    token: str | None = None
    invitation_id: Invitation | None = None

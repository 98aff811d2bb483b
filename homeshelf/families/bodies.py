from homeshelf.families.fields import EndOthers, FamilyName, Invitation, MayTick, PersonsName, Role
from homeshelf.web.body import NOT_SENT, Body, NewAddress, NewBody, Version
from homeshelf.web.picture import Picture


class NewFamily(NewBody):
    name: FamilyName


class FamilyChange(Body):
    name: FamilyName
    version: Version


class MemberChange(Body):
    role: Role = NOT_SENT
    name: PersonsName = NOT_SENT
    picture: Picture | None = NOT_SENT
    may_tick: MayTick = NOT_SENT
    version: Version


class NewChild(NewBody):
    name: PersonsName
    picture: Picture | None = None


class NewLink(NewBody):
    end_others: EndOthers = False


class ChildEmail(NewBody):
    email: NewAddress


class NewInvitation(NewBody):
    email: NewAddress
    role: Role


class Answered(NewBody):
    """The answer to an invitation, named by its link's token or by its id."""

    token: str | None = None
    invitation_id: Invitation | None = None


class NewChildForm(NewChild):
    other: Picture | None = None
    """A typed emoji, instead of one of the pictures on the page."""

    @property
    def chosen(self) -> str | None:
        return self.other or self.picture


class ChildForm(NewChildForm):
    version: Version

from typing import Annotated

from fastapi import Path

from homeshelf.families import model
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule, id_, text
from homeshelf.web.ids import WELL_FORMED

FamilyName = Annotated[str, text(1, 100, _("A family's name has 1 to 100 characters."))]
PersonsName = Annotated[str, text(1, 100, _("A name has 1 to 100 characters."))]
Role = Annotated[
    model.Role, FieldRule(_("A role is admin or suggester."), on_page=_("Choose parent or child."))
]
EndOthers = Annotated[bool, FieldRule(_("This must be true or false."))]
Invitation = Annotated[str, id_(_("This is no id of an invitation."))]
FamilyId = Annotated[str, Path(alias="familyId"), WELL_FORMED]
MemberId = Annotated[str, Path(alias="memberId"), WELL_FORMED]
InvitationId = Annotated[str, Path(alias="invitationId"), WELL_FORMED]

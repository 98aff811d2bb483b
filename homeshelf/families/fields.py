from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator

from homeshelf.families import model
from homeshelf.sentences import _
from homeshelf.web.body import FieldRule, id_, text
from homeshelf.web.ids import WELL_FORMED

FamilyName = Annotated[str, text(1, 100, _("Enter a family name of up to 100 characters."))]
PersonsName = Annotated[str, text(1, 100, _("Enter a name of up to 100 characters."))]
Role = Annotated[
    model.Role,
    FieldRule(_("Role must be admin or suggester."), on_page=_("Choose adult or child.")),
]
MayTick = Annotated[
    bool | None,
    FieldRule(_("This must be true or false.")),
    AfterValidator(lambda value: value or None),
]
EndOthers = Annotated[bool, FieldRule(_("This must be true or false."))]
Invitation = Annotated[str, id_(_("This isn’t an invitation ID."))]
FamilyId = Annotated[str, Path(alias="familyId"), WELL_FORMED]
MemberId = Annotated[str, Path(alias="memberId"), WELL_FORMED]
InvitationId = Annotated[str, Path(alias="invitationId"), WELL_FORMED]

"""What a caller may do with a checklist: lists of other kinds have none of its routes."""

from typing import Annotated

from fastapi import Depends

from homeshelf.shares.access import MANAGE, SEE, TICK
from homeshelf.shares.checklist.model import ENTITY
from homeshelf.shares.opening import AtList, at_list

SeenChecklist = Annotated[AtList, Depends(at_list(SEE, entity=ENTITY))]
TickingChecklist = Annotated[AtList, Depends(at_list(TICK, entity=ENTITY))]
ManagingChecklist = Annotated[AtList, Depends(at_list(MANAGE, entity=ENTITY))]

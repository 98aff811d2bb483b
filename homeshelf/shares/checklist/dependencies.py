"""FastAPI dependencies that require access to a checklist; lists of other kinds are 404."""

from typing import Annotated

from fastapi import Depends

from homeshelf.shares.access import MANAGE, TICK, VIEW
from homeshelf.shares.checklist.model import ENTITY
from homeshelf.shares.dependencies import AccessibleList, require_list

ViewableChecklist = Annotated[AccessibleList, Depends(require_list(VIEW, entity=ENTITY))]
TickableChecklist = Annotated[AccessibleList, Depends(require_list(TICK, entity=ENTITY))]
ManageableChecklist = Annotated[AccessibleList, Depends(require_list(MANAGE, entity=ENTITY))]

"""The kinds of things that can be shared; the first is the default."""

from homeshelf.shares.checklist import CHECKLIST
from homeshelf.shares.kind import register

KINDS = (CHECKLIST,)
register(*KINDS)

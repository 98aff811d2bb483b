"""What is the house's own, and goes into no file of a family or a person."""

from collections.abc import Mapping

from homeshelf.coordination.changes import Change
from homeshelf.coordination.idempotency import Answer
from homeshelf.coordination.leases import Lease
from homeshelf.coordination.signing_keys import Secret
from homeshelf.coordination.todos import Todo
from homeshelf.moving.mark import CopyMark, ImportMark
from homeshelf.outbox.model import Letter
from homeshelf.outbox.news import News
from homeshelf.table import Record
from homeshelf.web.attempts import Attempts, KnownAddress
from homeshelf.web.belongings import UNDER_WAY
from homeshelf.web.forwarding import UnnamedProxy

OF_THE_HOUSE: Mapping[type[Record], str] = {
    Change: "It tells those who listen, and is gone in an hour.",
    Answer: "It answers a request that is sent twice, for a day.",
    Lease: UNDER_WAY,
    Todo: UNDER_WAY,
    Letter: "It is mail that waits, and is sent from here.",
    News: "It is mail that waits, and is sent from here.",
    CopyMark: UNDER_WAY,
    ImportMark: UNDER_WAY,
    Attempts: "It says who tried to get in here.",
    KnownAddress: "It says from where somebody got in here.",
    UnnamedProxy: "It is about this machine.",
    Secret: "It signs what this house hands out.",
}

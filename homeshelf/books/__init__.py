"""The slice of each reader's books."""

from homeshelf.books import api, file_pages, pages, store
from homeshelf.books.import_jobs import provide_imports
from homeshelf.books.model import Book, Import, Importing, Removal
from homeshelf.books.moving import BELONGINGS, adopt, move_in
from homeshelf.coordination.belongings import UNDER_WAY
from homeshelf.sentences import _
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import Tab

SLICE = Slice(
    name="books",
    api=[api.router],
    pages=[file_pages.router, pages.router],
    tab=Tab("/books", _("Books"), "book-open"),
    offline=OfflineRules(prefetched=("books",)),
    todos=lambda _: {store.REMOVAL_KIND: store.finish},
    belongings=BELONGINGS,
    left_out={
        Removal: UNDER_WAY,
        Import: "It says how an import went, for a day.",
        Importing: UNDER_WAY,
    },
    moves_in=move_in,
    adopts=adopt,
    adopted_by={Book: "gsi1pk"},
    person_gone=store.forget_reader,
    start=provide_imports,
)

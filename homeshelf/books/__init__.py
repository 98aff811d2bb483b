"""Each reader's books."""

from homeshelf.books import api, files_pages, pages, store
from homeshelf.books.importing import allow_imports
from homeshelf.books.model import (
    Book,
    Import,
    Importing,
    Note,
    ReaderSettings,
    ReadingEvent,
    Removal,
)
from homeshelf.sentences import _
from homeshelf.web.belongings import UNDER_WAY, of_person
from homeshelf.web.services import Slice
from homeshelf.web.wording import Tab

SLICE = Slice(
    name="books",
    api=[api.router],
    pages=[files_pages.router, pages.router],
    tab=Tab("/books", _("Books"), "book-open"),
    todos=lambda _: {store.REMOVED: store.finish},
    belongings=[of_person(kind, "user_id") for kind in (Book, Note, ReadingEvent, ReaderSettings)],
    left_out={
        Removal: UNDER_WAY,
        Import: "It says how an import went, for a day.",
        Importing: UNDER_WAY,
    },
    person_gone=store.forget_reader,
    start=allow_imports,
)

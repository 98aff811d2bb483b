"""Each reader's books."""

from homeshelf.books import api, files_pages, pages, store
from homeshelf.books.importing import allow_imports
from homeshelf.sentences import _
from homeshelf.web.services import Slice
from homeshelf.web.wording import Tab

SLICE = Slice(
    name="books",
    api=[api.router],
    pages=[files_pages.router, pages.router],
    tab=Tab("/books", _("Books"), "book-open"),
    todos=lambda _: {store.REMOVED: store.finish},
    person_gone=store.forget_reader,
    start=allow_imports,
)

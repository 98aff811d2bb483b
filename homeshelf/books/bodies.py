"""What clients of the books' API send."""

from homeshelf.books import fields
from homeshelf.web.body import NOT_SENT, Body, NewBody


class Details(Body):
    """What may be said of a book or left out, whoever asks for it."""

    author: fields.Author | None = None
    isbn: fields.Isbn | None = None
    description: fields.Description | None = None
    total_pages: fields.Page | None = None
    price: fields.Price | None = None
    currency: fields.Currency | None = None
    store: fields.StoreName | None = None
    purchase_date: fields.Day | None = None
    bought_at: fields.BoughtAt | None = None
    finished_at: fields.Day | None = None


class NewBook(Details, NewBody):
    title: fields.Title
    status: fields.Status = "SHELF"
    rating: fields.Rating | None = None
    current_page: fields.Page | None = None


class BookChange(Details):
    """Everything but the page, which only reading changes."""

    title: fields.Title = NOT_SENT
    status: fields.Status = NOT_SENT
    rating: fields.Rating | None = None


class PageReached(NewBody):
    page: fields.Page


class NewNote(NewBody):
    content: fields.NoteContent


class NoteChange(Body):
    content: fields.NoteContent = NOT_SENT


class SettingsChange(Body):
    yearly_goal: fields.YearlyGoal | None = None

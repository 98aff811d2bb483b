"""Suggestions (wishes) of children, and their parents' decisions."""

from functools import partial

from homeshelf.coordination.belongings import of_family
from homeshelf.outbox.notifications import NotificationKinds
from homeshelf.sentences import _
from homeshelf.suggestions import api, decision_pages, pages
from homeshelf.suggestions.child_view import count_unseen_answers
from homeshelf.suggestions.model import CreatedItem, HeardAnswer, Suggestion
from homeshelf.suggestions.moving import move_in
from homeshelf.suggestions.notifications import NOTIFICATION_KINDS
from homeshelf.suggestions.store import SuggestionItemObserver, with_status
from homeshelf.web.services import OwnCount, Slice
from homeshelf.web.shell import AddButton, MenuEntry, for_members

SLICE = Slice(
    name="suggestions",
    api=[api.router],
    menu=[MenuEntry("/wishes", _("Wishes"), "gift", 20, for_members)],
    add_button=AddButton("/wishes", _("Ask for something"), "gift", "suggester"),
    pages=[pages.router, decision_pages.router],
    counts={"pendingSuggestions": partial(with_status, status="pending")},
    own_counts={"unseenAnswers": OwnCount("suggester", count_unseen_answers)},
    provides=[SuggestionItemObserver(), NotificationKinds(NOTIFICATION_KINDS)],
    goes_with_family=[CreatedItem.where, HeardAnswer.where],
    belongings=[of_family(Suggestion), of_family(CreatedItem), of_family(HeardAnswer)],
    moves_in=move_in,
)

"""The home page: first steps, and what needs attention now."""

from homeshelf.coordination.belongings import of_family
from homeshelf.home import pages
from homeshelf.home.steps import SettledStep
from homeshelf.sentences import _
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice
from homeshelf.web.shell import Badge, MenuEntry, Tab, for_members

HOME_BADGES = (
    Badge("pendingSuggestions", "Suggestion", "admin"),
    Badge("unseenAnswers", "Suggestion", "suggester", "/wishes/unseen"),
)
SLICE = Slice(
    name="home",
    pages=[pages.router],
    goes_with_family=[SettledStep.where],
    belongings=[of_family(SettledStep)],
    tab=Tab("/", _("Home"), "house", HOME_BADGES),
    offline=OfflineRules(prefetched=("",)),
    menu=[
        MenuEntry("/wall", _("Wall display"), "tablet", 85, for_members),
        MenuEntry("/keys", _("Keyboard shortcuts"), "command", 90, needs_keys=True),
    ],
)

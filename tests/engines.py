"""The test files that run on one engine, because their subject is above the database.

They test pages, forms, words, headers, tokens or limits. The contract tests in `tests/table` hold
the engines equal, and each kind of request that these files send to a database is also sent by a
file that runs on both. Add a file if it tests no record, no query and no race.
"""

from pathlib import Path

TESTS = Path(__file__).parent
NAMES = {
    ".": "controls fields published security_log",
    "accounts": "bad_input common_passwords cookies fixation hashing settings_pages",
    "books": "long_books year_page",
    "families": (
        "children_pages invitation_pages link_pages pages pages_offers pages_words remove_pages"
    ),
    "home_page": "keyboard_shortcuts pages round_button",
    "identity": "children_pages silence",
    "inventory": "delete_pages pages_rows",
    "languages": "api choosing",
    "notices": "pages_notices",
    "outbox": "bounds hosts languages",
    "places": "delete_pages pages pages_details",
    "shares": "cookie hashing making_pages page_access page_contents settings_pages",
    "shopping": "entry_pages purchased_entry_pages put_away_pages quick_adding",
    "stocktaking": "pages scanning",
    "suggestions": "wish_pages",
    "taps": "label_pages page",
    "web": (
        "body_limits forged_addresses head hosts limits live_pages member_header "
        "offline_rules origin outcome_parameters problems redirects"
    ),
}
ON_ONE_ENGINE = {
    TESTS / folder / f"test_{name}.py" for folder, names in NAMES.items() for name in names.split()
}

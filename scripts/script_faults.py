"""Deliberate faults in scripts of pages and the service worker, and the tests to run on them."""

import json
import shutil
import subprocess
from pathlib import Path

from homeshelf.web.assets import static_files
from scripts.check_js import CACHE, install
from scripts.faults import Fault

NAME = "scripts"
SERVICE_WORKER = Path("homeshelf/web/templates/sw.js")
FINDER = Path(__file__).with_name("js") / "faults.mjs"

QUEUE_RULES = "tests/queue/test_interleavings.py"
TYPED = "tests/shopping/test_entry_parser_script.py"
LINES = "tests/stocktaking/test_lines.py"
CODES = "tests/stocktaking/test_codes_script.py"
LIST = (QUEUE_RULES, "list", "list_order", "list_adding", "list_live", "list_offline")
LIVE = ("live_refresh", "live_pages", "live", "live_people")
STOCK = ("stock", "stock_offline", "large_stock", "live_pages")
TAP = ("tap", "tap_offline", "tap_leaving", "tap_journal")
TESTS = {
    ".": ("requests", "undo_deletion", "toasts_and_weights"),
    "api.js": ("requests", "undo_deletion", "stock"),
    "forms.js": ("sign_in",),
    "share-link.js": ("shares", "plain_http"),
    "sheets.js": ("keyboard", "list_sheet", "shortcuts", "stock"),
    "toast.js": ("toasts_and_weights", "undo_deletion", "list_adding"),
    "register-worker.js": ("plain_http", "offline"),
    "books": ("books",),
    "deciding": ("suggestions",),
    "live": LIVE,
    "live/morph.js": ("morph", *LIVE),
    "live/badges.js": ("toasts_and_weights", "live_people", "stock"),
    "live/connection.js": ("live_refresh", "offline"),
    "order": ("list_order", "shares", "shortcuts"),
    "places": ("undo_deletion",),
    "offline": ("offline",),
    "printing": ("tags", "shares"),
    "queue": (QUEUE_RULES, "queue", "journal", "stock_offline", "list_offline", "sign_out"),
    "queue/counter.js": ("tap_offline", "stock_offline", QUEUE_RULES),
    "queue/all-kinds.js": ("stocktaking", QUEUE_RULES),
    "queue/lost-changes.js": ("stock_offline", "shares_offline"),
    "queue/sign-out.js": ("sign_out", "queue"),
    "reading": ("books", "home"),
    "scanning": (CODES, "scanning", "books"),
    "settings": ("form_fields",),
    "shares": ("shares", "shares_offline"),
    "shares/kinds.js": (QUEUE_RULES, "shares_offline"),
    "shares/shell.js": ("shares_offline",),
    "shopping": LIST,
    "shopping/add-entries.js": ("list_adding", "list_pictures", "journal"),
    "shopping/rebase.js": (QUEUE_RULES, "list_offline"),
    "shopping/amounts.js": (TYPED, LINES),
    "shopping/question-dialog.js": ("list_adding", "list_order", "list_offline"),
    "shopping/changes.js": (QUEUE_RULES, "list", "list_sheet"),
    "shopping/quantity-buttons.js": ("list_order", "list_layout", "journal"),
    "shopping/conflict-answers.js": (QUEUE_RULES, "list_offline"),
    "shopping/list-frame.js": ("list_rows", "list", "list_offline", "list_live"),
    "shopping/list-renderer.js": ("list_rows", "list", "list_layout", "list_folding", "list_order"),
    "shopping/live-updates.js": ("list_live", "list", "list_ownership", "list_late_responses"),
    "shopping/keyboard.js": ("list_layout",),
    "shopping/cached-list.js": (QUEUE_RULES, "list_late_responses"),
    "shopping/known-names.js": ("list_adding", "list_sheet"),
    "shopping/list.js": ("list", "list_folding", "list_offline", "journal", "list_layout"),
    "shopping/unit-words.js": (TYPED, LINES, "list_adding"),
    "shopping/kinds.js": (QUEUE_RULES, "list_sheet", "list_offline"),
    "shopping/row-animation.js": ("list_layout",),
    "shopping/offers.js": ("list_adding", "stocktaking"),
    "shopping/manual-order.js": ("list_order",),
    "shopping/picture.js": ("list_rows", "list_pictures", "list_live"),
    "shopping/away": ("list_trip",),
    "shopping/page-setup.js": ("list_adding", "list_order"),
    "shopping/question-bar.js": ("list_offline", "list_sheet"),
    "shopping/row.js": ("list_rows", "list", "list_pictures", "list_order"),
    "shopping/entry-filters.js": (QUEUE_RULES, "list_order"),
    "shopping/review-dialog.js": ("list_adding",),
    "shopping/edit-sheet.js": ("list_sheet", "list", "split_view"),
    "shopping/trip-end.js": ("list_trip", "list"),
    "shopping/entry-parser.js": (TYPED, LINES, "list_adding"),
    "shopping/typing": (TYPED, LINES),
    "shopping/usual-things.js": ("list_adding",),
    "shopping/wide": ("split_view",),
    "shortcuts": ("shortcuts",),
    "stock": STOCK,
    "stock/found-rows.js": ("large_stock",),
    "stock/kinds.js": (QUEUE_RULES, "stock_offline"),
    "stock/late-adjustments.js": ("stock_offline",),
    "stock/low-mark.js": ("threshold",),
    "stock/next-rows.js": ("large_stock",),
    "stock/scanner.js": ("scanning",),
    "stock/default-threshold.js": ("threshold", "stocktaking"),
    "stock/pending-stocktake.js": ("stocktaking", "stock"),
    "stock/wide": ("split_view",),
    "tags": ("tags",),
    "taking": (QUEUE_RULES, "stocktaking", "journal", "scanning"),
    "taking/lines.js": (LINES, "stocktaking"),
    "tap": TAP,
    "tap.js": TAP,
    "tap/kinds.js": ("tap_offline", QUEUE_RULES),
    "typing": (TYPED, LINES, "list_pictures"),
    "wall": ("wall",),
    "wide": ("split_view",),
    "wishes": ("suggestions", "live_people"),
}
"""The tests of scripts by folder or file, the likeliest to fail first, because all of
`tests/browser` takes too long for one fault. A plain name is a file there."""
WORKER_TESTS = (
    *("offline", "queue", "languages", "new_version", "provider", "sign_out"),
    *("shared_tablet", "refused_pages"),
)


def script_paths(root: Path, name: str) -> list[Path]:
    """Return the scripts of `scripts`, or of a folder or file of it such as `scripts/queue`."""
    within = name.removeprefix(NAME).strip("/")
    worker = [SERVICE_WORKER] if within in {"", SERVICE_WORKER.name} else []
    chosen = Path("js", within)
    return [
        path.relative_to(root)
        for script, path in _scripts().items()
        if Path(script).is_relative_to(chosen)
    ] + worker


def faults_in_scripts(root: Path, paths: list[Path]) -> list[Fault]:
    """Return every fault that can be put into these scripts, in the order of the files."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise SystemExit("Faults are put into scripts with Node.js, which is not installed.")
    install(npm)
    command = [node, "--no-warnings", "--experimental-vm-modules", str(FINDER), str(CACHE)]
    files = [str((root / path).resolve()) for path in paths]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.stderr)
    by_file = zip(paths, json.loads(done.stdout), strict=True)
    return [Fault(path, **fault) for path, faults in by_file for fault in faults]


def script_tests(path: Path) -> list[str]:
    """Return the tests to run on a fault in this script, the likeliest to notice first."""
    return [name if "/" in name else f"tests/browser/test_{name}.py" for name in _test_names(path)]


def _test_names(path: Path) -> tuple[str, ...]:
    if path == SERVICE_WORKER:
        return WORKER_TESTS
    script = Path(*path.parts[path.parts.index("js") + 1 :])
    return TESTS.get(str(script)) or TESTS[str(script.parent)]


def _scripts() -> dict[str, Path]:
    return {name: path for name, path in static_files().items() if path.suffix == ".js"}

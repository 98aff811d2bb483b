"""Text that people write is never executed or evaluated, on any page."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

import pytest
from playwright.async_api import Browser, Page, Route

from homeshelf.config import SqliteAt
from homeshelf.moving.record_kinds import KindIndex, every_kind
from homeshelf.table import TABLES, key_in, open_database
from homeshelf.web.middleware import SECURITY_HEADERS
from tests.browser.demo_household import DemoHousehold
from tests.browser.hostile import ATTACKS, FILLED_IN, MARK, SPACELESS, hostile_household
from tests.browser.screens import DESKTOP
from tests.browser.tour import TOUR
from tests.browser.visitor import expect
from tests.outbox.post_office import PostOffice
from tests.outbox.smtp_server import SmtpServers

WATCHES = """
  window.struck = [];
  window.hit = () => struck.push("a script ran");
  for (const name of ["alert", "confirm", "prompt", "print", "open"])
    window[name] = () => struck.push(name);
  document.addEventListener("securitypolicyviolation",
    ({ violatedDirective, sample }) => struck.push(`${violatedDirective} stopped ${sample}`));
"""
FOUND = """async ([filledIn, mark]) => {
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const leading = ["href", "src", "action", "formaction", "data", "xlink:href"];
  const isOdd = (one) => ({ name, value }) =>
    name.startsWith("on") ||
    (name === "autofocus" && one.hasAttribute("x")) ||
    (leading.includes(name) && /^[\\s\\0]*(javascript|vbscript|data:text)/i.test(value));
  const foreign = "script:not([src]), iframe, object, embed, base, meta[http-equiv], img[src=x], b";
  const odd = [...document.querySelectorAll("*")].filter(
    (one) => one.matches(foreign) || [...one.attributes].some(isOdd(one)));
  const whole = document.documentElement.outerHTML;
  return [
    [
      ...(window.struck ?? []),
      ...odd.map((one) => one.outerHTML.slice(0, 120)),
      ...(whole.includes(filledIn) ? ["a template was filled in"] : []),
    ],
    whole.includes(mark),
  ];
}"""
RAW = (
    "/api/v1/items",
    "/list/now",
    "/api/v1/shareables/{shortId}",
)
"""API responses, opened as if they were pages."""
REFLECTED = (
    *("/stock?q={}", "/stock/scan?q={}", "/stock/new?name={}&barcode={}", "/list?at={}"),
    *("/wishes?q={}", "/wishes/new?name={}", "/s?id={}", "/s/{}", "/books?show={}&sort={}"),
    *("/sign-in?next=/{}", "/sign-up?next={}", "/family?said={}", "/t/{}", "/{}", "/join/{}"),
    *("/settings?saved={}", "/places?said={}", "/sign-in-link/{}", "/reset/{}", "/static/x/{}"),
)
BY_READER = sorted(TOUR, key=lambda stop: stop.who or "")
FOR_ANYBODY = ("/sign", "/s/", "/s?", "/t/", "/join", "/reset", "/static", "/{}")
NOT_WRITTEN = (
    "id",
    "_id",
    "_ids",
    "_at",
    "_by",
    "_hash",
    "_digest",
    "passcode",
    "secret",
    "holder",
)
"""Endings of field names that hold no free text."""
NO_WORDS = {
    "Account": {"time_zone", "language", "came_with", "issuer", "subject", "families"},
    "Book": {"isbn", "currency", "purchase_date", "finished_at", "bought_at"},
    "InventoryItem": {"picture", "barcodes"},
    "Member": {"picture"},
    "Session": {"issuer"},
    "Shareable": {"entity", "ordering"},
    "Import": {"problems"},
}
"""Fields without free text: they have a fixed format, or the server computes them."""
NOT_READ = {
    *("Attempts", "Change", "CopyMark", "ImportMark", "KnownAddress", "Lease", "Letter"),
    *("DailyNotification", "StoredResponse"),
    *("OpenNotice", "OpenNoticeOfType", "PendingClaim", "PlaceName", "Secret", "Todo"),
    *("UnnamedProxy", "WeekOfTaps", "FormerAddress", "Removal", "Departure", "IdentityClaim"),
    *("QuantityChange", "StorePlace", "BarcodeClaim", "PoolSlot", "ShortIdClaim", "PendingEntries"),
}
"""Kinds of records whose free text no page shows."""


@pytest.fixture(scope="module")
def office(
    tmp_path_factory: pytest.TempPathFactory, smtp_servers: SmtpServers
) -> Iterator[PostOffice]:
    office = PostOffice(tmp_path_factory.mktemp("hostile") / "post", smtp_servers)
    office.open()
    yield office
    office.close()


@pytest.fixture(scope="module")
def attacked_household(
    tmp_path_factory: pytest.TempPathFactory, office: PostOffice
) -> Iterator[DemoHousehold]:
    with hostile_household(tmp_path_factory.mktemp("hostile"), office) as household:
        yield household


class AttackDetector:
    """A browser that detects executed attacks; members use it in turn."""

    def __init__(self, browser: Browser, household: DemoHousehold) -> None:
        self._browser, self._household = browser, household
        self._page: Page | None = None
        self._who: str | None = None

    async def page(self, who: str | None) -> Page:
        if self._page is None:
            context = await DESKTOP.open_context(self._browser, self._household.url)
            await context.add_init_script(WATCHES)
            self._page = await context.new_page()
            self._page.on("dialog", self._dialog)
        if who != self._who:
            await self._page.goto("about:blank")
            await self._page.context.clear_cookies()
            if who:
                await self._household.people[who].sign_in_to(self._page.context)
            self._who = who
        return self._page

    async def leave(self) -> None:
        if self._page:
            await self._page.context.close()

    async def _dialog(self, dialog: Any) -> None:
        await dialog.dismiss()
        raise AssertionError(dialog.message)


@pytest.fixture(scope="module")
def household_with_all_attacks(
    tmp_path_factory: pytest.TempPathFactory, office: PostOffice
) -> Iterator[DemoHousehold]:
    folder = tmp_path_factory.mktemp("hostile")
    with hostile_household(folder, office, len(ATTACKS)) as household:
        yield household


@pytest.fixture(scope="module")
async def detector_of_all_attacks(
    browser: Browser, household_with_all_attacks: DemoHousehold
) -> AsyncIterator[AttackDetector]:
    reader = AttackDetector(browser, household_with_all_attacks)
    yield reader
    await reader.leave()


@pytest.fixture(scope="module")
async def detector(
    browser: Browser, attacked_household: DemoHousehold
) -> AsyncIterator[AttackDetector]:
    reader = AttackDetector(browser, attacked_household)
    yield reader
    await reader.leave()


async def find_attacks(page: Page) -> tuple[list[str], bool]:
    """Return the executed attacks, and whether the page shows any attack as text."""
    found, shown = await page.evaluate(FOUND, [FILLED_IN, MARK])
    return found, shown


async def open_and_check(page: Page, path: str) -> bool:
    """Check that no attack was executed and return whether the page shows one."""
    await page.goto(path)
    found, shown = await find_attacks(page)
    assert found == [], path
    return shown


async def test_hostile_household_fills_every_text_field(attacked_household: DemoHousehold) -> None:
    """Fails when a new field is missing from the hostile household."""
    db = open_database(SqliteAt(attacked_household.data / "homeshelf.db"))
    kinds, written = KindIndex(), set()
    for table in TABLES:
        for item in (await db.engine.scan(table, 10_000)).items:
            kind = kinds.at(key_in(table, item))
            written |= {(kind, name) for name, value in item.items() if MARK in str(value)}
    await db.close()
    missing = [
        f"{kind.__name__}.{name}"
        for kind in every_kind()
        if kind.__name__ not in NOT_READ
        for name, field in kind.model_fields.items()
        if "str" in str(field.annotation)
        and not name.endswith(NOT_WRITTEN)
        and name not in NO_WORDS.get(kind.__name__, ())
        and (kind, kind.aliases[name]) not in written
    ]
    assert missing == []


async def test_no_page_executes_hostile_text(
    attacked_household: DemoHousehold, detector: AttackDetector
) -> None:
    shown = [
        stop.name
        for stop in BY_READER
        if await open_and_check(await detector.page(stop.who), stop.path(attacked_household))
    ]
    assert len(shown) > 60, shown


@pytest.mark.torture
async def test_no_role_sees_hostile_text_executed(
    household_with_all_attacks: DemoHousehold, detector_of_all_attacks: AttackDetector
) -> None:
    for who in ("Mina", "Alva", None):
        for path in dict.fromkeys(stop.path(household_with_all_attacks) for stop in TOUR):
            await open_and_check(await detector_of_all_attacks.page(who), path)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(1, len(ATTACKS)), ids=[*ATTACKS][1:])
async def test_pages_of_hostile_records_execute_nothing(
    household_with_all_attacks: DemoHousehold, detector_of_all_attacks: AttackDetector, number: int
) -> None:
    named = f" of attack {number}"
    known = household_with_all_attacks.ids.items()
    ids = {name.removesuffix(named): id_ for name, id_ in known if name.endswith(named)}
    about = replace(household_with_all_attacks, ids=household_with_all_attacks.ids | ids)
    for stop in BY_READER:
        if not stop.named and "Id}" in stop.route:
            await open_and_check(await detector_of_all_attacks.page(stop.who), stop.path(about))


async def test_api_response_is_not_rendered_as_page(
    attacked_household: DemoHousehold, detector: AttackDetector
) -> None:
    page = await detector.page("Mina")
    for path in RAW:
        assert await open_and_check(page, path.format(**attacked_household.ids)), path
        assert await page.evaluate("document.contentType") == "application/json"


async def test_url_parameters_are_not_executed(detector: AttackDetector) -> None:
    for path in sorted(REFLECTED, key=lambda path: path.startswith(FOR_ANYBODY)):
        page = await detector.page(None if path.startswith(FOR_ANYBODY) else "Mina")
        sent = quote(ATTACKS["breaking out"], safe="")
        await open_and_check(page, path.format(*[sent] * path.count("{}")))


async def test_text_drawn_by_scripts_is_not_executed(
    attacked_household: DemoHousehold, detector: AttackDetector
) -> None:
    """Covers typing, live updates, search and toasts."""
    page = await detector.page("Mina")
    await page.goto("/list")
    for attack in ATTACKS.values():
        await page.get_by_label("What do you need?").fill(f"2 {attack} typed")
        await page.keyboard.press("Enter")
    attacked_household.people["Mina"].ask(
        "POST", "/shopping-list", {"name": f"{SPACELESS} from elsewhere"}
    )
    await expect(page.get_by_text("from elsewhere").first).to_be_visible()
    assert (await find_attacks(page))[0] == []
    await page.goto("/stock")
    await page.get_by_role("searchbox").first.fill("hit")
    await page.wait_for_timeout(300)
    assert await find_attacks(page) == ([], True)
    await page.goto("/stock/take")
    for attack in (ATTACKS["breaking out"], ATTACKS["an attribute"]):
        await page.locator("#text").fill(f"{attack} counted")
        await page.keyboard.press("Enter")
    await page.wait_for_timeout(300)
    assert await find_attacks(page) == ([], True)
    child = await detector.page("Alva")
    await child.goto("/wishes")
    await child.get_by_role("searchbox").first.fill("hit")
    await child.wait_for_timeout(300)
    assert await find_attacks(child) == ([], True)


async def test_mail_text_is_not_executed(
    browser: Browser, attacked_household: DemoHousehold, office: PostOffice
) -> None:
    """A browser without a policy is the most permissive mail program."""
    assert attacked_household.people
    await office.mail(3)
    context = await browser.new_context()
    await context.add_init_script(WATCHES)
    page = await context.new_page()
    shown = 0
    for mail in office.mails:
        await page.set_content(mail.html)
        found, is_shown = await find_attacks(page)
        assert [each for each in found if "http-equiv" not in each] == []
        shown += is_shown
    await context.close()
    assert shown > 2


@pytest.mark.parametrize("policy", ["with", "without"])
async def test_executed_attack_is_detected(
    attacked_household: DemoHousehold, browser: Browser, policy: str
) -> None:
    """The control: a page that inserts text unescaped."""

    async def respond_unsafely(route: Route) -> None:
        headers = SECURITY_HEADERS if policy == "with" else {}
        attack = unquote(route.request.url.rpartition("?")[2])
        body = f"<!doctype html><title>x</title><p>{ATTACKS[attack]}</p>"
        await route.fulfill(body=body, content_type="text/html", headers=headers)

    context = await browser.new_context(base_url=attacked_household.url)
    await context.add_init_script(WATCHES)
    page = await context.new_page()
    await page.route("**/careless?*", respond_unsafely)
    noticed = "stopped" if policy == "with" else "a script ran"
    for attack in ("breaking out", "a script", "a drawing", "a comment"):
        await page.goto(f"/careless?{quote(attack)}")
        await page.wait_for_timeout(100)
        found, _ = await find_attacks(page)
        assert any(noticed in each for each in found), (attack, found)
    await context.close()

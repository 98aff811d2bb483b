"""The offline queue sends each change once, for the right user."""

from playwright.async_api import Route

from tests.browser.family_home import Home
from tests.browser.storage import (
    SENDS,
    cached_paths,
    open_phone,
    pending_names,
    queue_addition,
    run_with_queue,
    wait_until_equal,
)
from tests.browser.visitor import Visitor, Visitors
from tests.network import Line


async def listed_texts(home: Home) -> list[str]:
    entries = home.admin.ask("GET", "/shopping-list")["items"]
    return sorted(f"{entry['name']} {entry['status']}" for entry in entries)


async def test_offline_change_outlives_page_and_is_sent_once(
    phone: Visitor, home: Home, line: Line
) -> None:
    line.becomes("cut")
    milk = await queue_addition(phone, "Milk")
    await queue_addition(phone, "Bread")
    await queue_tick(phone, milk)
    await phone.page.close()
    phone.page = await phone.context.new_page()
    await phone.go("/family")
    assert await pending_names(phone) == ["Milk", "Bread", "Milk"]
    assert await listed_texts(home) == []
    line.becomes("open")
    await wait_until_equal(["Bread pending", "Milk purchased"], lambda: listed_texts(home))
    await wait_until_equal([], lambda: pending_names(phone))


async def test_change_with_lost_response_is_applied_once(
    phone: Visitor, home: Home, line: Line
) -> None:
    rice = home.item("Rice", 5, 0)
    await run_with_queue(phone.page, ADJUSTS, [rice, 1])
    await wait_until_equal([], lambda: pending_names(phone))
    line.becomes("deaf")
    await run_with_queue(phone.page, ADJUSTS, [rice, -1])
    await wait_until_equal(5, lambda: item_quantity(home, rice))
    assert await pending_names(phone) == ["Rice"]
    line.becomes("open")
    await wait_until_equal([], lambda: pending_names(phone))
    assert await item_quantity(home, rice) == 5


async def test_hanging_connection_is_treated_as_cut(phone: Visitor, home: Home, line: Line) -> None:
    line.becomes("hang")
    await queue_addition(phone, "Milk")
    await queue_addition(phone, "Bread")
    await phone.page.evaluate(SENDS)
    line.becomes("open")
    await wait_until_equal(["Bread pending", "Milk pending"], lambda: listed_texts(home))


async def test_change_waits_behind_captive_portal(phone: Visitor, home: Home) -> None:
    for path in ("**/healthz", "**/api/v1/**"):
        await phone.page.route(path, respond_like_a_portal)
    await queue_addition(phone, "Milk")
    await phone.page.evaluate(SENDS)
    questions = "async (phone) => (await phone.listWaiting()).map(({ question }) => question)"
    assert await run_with_queue(phone.page, questions) == [None]
    await phone.page.unroute_all()
    await phone.page.evaluate(SENDS)
    await wait_until_equal(["Milk pending"], lambda: listed_texts(home))


async def respond_like_a_portal(route: Route) -> None:
    await route.fulfill(body="<h1>Accept our terms</h1>", content_type="text/html")


async def test_two_pages_send_a_change_once(phone: Visitor, home: Home, line: Line) -> None:
    rice = home.item("Rice", 5, 0)
    line.becomes("cut")
    second = Visitor(phone.context, await phone.context.new_page())
    await second.go("/family")
    for page in (phone.page, second.page):
        await run_with_queue(page, ADJUSTS, [rice, -1])
    assert await pending_names(second) == ["Rice"]
    line.becomes("open")
    await wait_until_equal([], lambda: pending_names(second))
    assert await item_quantity(home, rice) == 3


async def test_service_worker_sends_queue_without_open_page(
    phone: Visitor, home: Home, line: Line
) -> None:
    line.becomes("cut")
    await queue_addition(phone, "Milk")
    elsewhere = await phone.context.new_page()
    await phone.page.close()
    line.becomes("open")
    session = await phone.context.new_cdp_session(elsewhere)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: found.extend(each["registrationId"] for each in told["registrations"]),
    )
    await session.send("ServiceWorker.enable")
    await wait_until_equal(True, lambda: _is_there(found))
    background = {"origin": line.url, "registrationId": found[0], "tag": "homeshelf-queue"}
    await session.send("ServiceWorker.dispatchSyncEvent", {**background, "lastChance": False})
    await wait_until_equal(["Milk pending"], lambda: listed_texts(home))


async def test_cached_list_opens_at_once(phone: Visitor, home: Home, line: Line) -> None:
    await phone.go("/list")
    await phone.reads_above_all("Shopping list")
    await run_with_queue(phone.page, "() => fetch('/list/now')")
    await wait_until_equal(True, lambda: _is_cached(phone, "/list"))
    line.becomes("hang")
    for path in ("/list", f"/list?at={home.store('Corner shop')}"):
        await phone.go(path)
        took = await phone.page.evaluate(
            "performance.getEntriesByType('navigation')[0].responseEnd"
        )
        assert took < 500
        await phone.reads_above_all("Shopping list")
    assert "/list/now" not in await cached_paths(phone)


async def test_sign_out_names_unsent_changes(phone: Visitor, home: Home, line: Line) -> None:
    line.becomes("cut")
    for name in ("Milk", "Bread", "Eggs"):
        await queue_addition(phone, name)
    await phone.open(f"{home.admin.name}: family and settings")
    await phone.press("Sign out")
    await phone.sees("Milk, Bread, and 1 more aren’t sent yet.")
    await phone.press("Stay")
    await queue_addition(phone, "Tea")
    assert len(await pending_names(phone)) == 4
    await phone.open(f"{home.admin.name}: family and settings")
    await phone.press("Sign out")
    await phone.sees("2 more aren’t sent yet.")
    line.becomes("open")
    await phone.press("Leave anyway")
    await phone.reads_above_all("Your household’s shared memory")
    assert await phone.page.evaluate(KEPT) == []
    assert await listed_texts(home) == []


async def test_online_sign_out_asks_nothing(phone: Visitor, home: Home) -> None:
    await queue_addition(phone, "Milk")
    await phone.open(f"{home.admin.name}: family and settings")
    await phone.press("Sign out")
    await phone.reads_above_all("Your household’s shared memory")
    assert await listed_texts(home) == ["Milk pending"]
    assert await phone.page.evaluate(KEPT) == []


async def test_unsent_change_is_not_sent_for_another_user(
    phone: Visitor, home: Home, line: Line
) -> None:
    """The session ends, another user signs in, and the first one returns later."""
    other = home.child("Kid" + home.admin.name)
    line.becomes("cut")
    await queue_addition(phone, "Milk")
    await run_with_queue(
        phone.page, "(phone) => phone.refreshCache('list', async () => ({ entries: [] }))"
    )
    await phone.page.close()
    await phone.context.clear_cookies()
    line.becomes("open")
    phone.page = await phone.context.new_page()
    await other.sign_in_to(phone.context, line.url)
    await phone.go("/family")
    await phone.page.evaluate(SENDS)
    assert await pending_names(phone) == []
    kept = await phone.page.evaluate(KEPT)
    assert [each["who"] for each in kept if each["who"]] == [home.admin.member_id]
    assert [each["label"] for each in kept if each["who"]] == ["Milk"]
    assert await listed_texts(home) == []
    await phone.page.close()  # it would notice the end of the session and lead to the sign-in page
    await phone.context.clear_cookies()
    phone.page = await phone.context.new_page()
    await home.admin.sign_in_to(phone.context, line.url)
    await phone.go("/family")
    await wait_until_equal(["Milk pending"], lambda: listed_texts(home))


async def test_removed_member_is_told_about_lost_changes(
    home: Home, line: Line, visitors: Visitors
) -> None:
    other = home.household.create_account(f"Other{home.admin.name}")
    invited = home.admin.ask("POST", "/invitations", {"email": other.email, "role": "admin"})
    other.ask("POST", "/invitations/accept", {"token": invited["link"].rpartition("/")[2]})
    phone = await open_phone(home, visitors, line, who=other)
    await run_with_queue(
        phone.page, "(phone) => phone.refreshCache('list', async () => ({ entries: [] }))"
    )
    line.becomes("cut")
    await queue_addition(phone, "Milk")
    home.admin.ask("DELETE", f"/members/{other.member_id}")
    other.api.close()
    line.becomes("open")
    await phone.go("/settings")
    await phone.sees("Milk: your change came too late. You’re no longer in that family.")
    await wait_until_equal([], lambda: phone.page.evaluate(KEPT))
    assert await listed_texts(home) == []
    visitors.complaints.clear()


async def test_queue_is_sent_after_upgrade_and_downgrade(phone: Visitor, home: Home) -> None:
    await phone.go("/healthz")
    family = home.admin.ask("GET", "/family")["familyId"]
    await phone.page.evaluate(OF_ANOTHER_APP, [home.admin.member_id, family])
    await phone.go("/family")
    await wait_until_equal(["Tea pending"], lambda: listed_texts(home))
    await queue_addition(phone, "Milk")
    await wait_until_equal(["Milk pending", "Tea pending"], lambda: listed_texts(home))


async def queue_tick(phone: Visitor, entry_id: str) -> None:
    await run_with_queue(
        phone.page,
        """(phone, shoppingItemId) =>
          phone.add(phone.draftTick({ shoppingItemId, name: "Milk", version: 1 }, "purchased"))""",
        entry_id,
    )


async def item_quantity(home: Home, item_id: str) -> int:
    found: int = home.admin.ask("GET", f"/items/{item_id}")["quantity"]
    return found


async def _is_there(found: list[str]) -> bool:
    return bool(found)


async def _is_cached(phone: Visitor, path: str) -> bool:
    return path in await cached_paths(phone)


ADJUSTS = """(phone, [about, delta]) => phone.add({
  kind: "item.adjust", about, label: "Rice", method: "POST", path: `/api/v1/items/${about}/adjust`,
  body: { delta }, seen: null,
})"""
OF_ANOTHER_APP = """([who, family]) => new Promise((done) => {
  indexedDB.deleteDatabase("homeshelf").onsuccess = () => {
    const opening = indexedDB.open("homeshelf", 99);
    opening.onupgradeneeded = () => {
      const { result } = opening;
      result.createObjectStore("changes", { keyPath: "n", autoIncrement: true });
      result.createObjectStore("things", { keyPath: ["who", "family", "name"] });
      result.createObjectStore("tomorrow");
    };
    opening.onsuccess = () => {
      const writing = opening.result.transaction("changes", "readwrite");
      const about = crypto.randomUUID();
      writing.objectStore("changes").add({
        key: about, who, family, kind: "entry.add", about, method: "POST",
        path: "/api/v1/shopping-list", body: { name: "Tea", shoppingItemId: about },
      });
      writing.oncomplete = () => (opening.result.close(), done());
    };
  };
})"""
KEPT = """() => new Promise((done) => {
  const opening = indexedDB.open("homeshelf");
  opening.onupgradeneeded = () => (opening.transaction.abort(), done([])); // there is none
  opening.onsuccess = ({ target }) => {
    const [all, reading] = [[], target.result.transaction(["changes", "things"])];
    for (const name of ["changes", "things"])
      reading.objectStore(name).getAll().onsuccess = ({ target }) => all.push(...target.result);
    reading.oncomplete = () => done(all.filter(({ who }) => who));
  };
})"""

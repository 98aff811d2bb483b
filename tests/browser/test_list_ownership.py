"""An open list belongs to one user and family, even if the browser's session changes."""

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.family_home import Home, create_home
from tests.browser.list_page import entry_row, pending_entry_names
from tests.browser.visitor import Visitor, Visitors

CHANGED = """(detail) => document.dispatchEvent(new CustomEvent("homeshelf:change", { detail }))"""


async def open_list(home: Home, visitors: Visitors) -> tuple[Visitor, str]:
    entry = home.admin.ask("POST", "/shopping-list", {"name": "Milk"})
    phone = await home.phone(visitors)
    await phone.page.route("**/api/v1/events*", lambda route: route.abort())
    await phone.go("/list")
    await expect(entry_row(phone, "Milk")).to_be_visible()
    return phone, str(entry["shoppingItemId"])


async def test_list_ignores_data_of_another_user(
    visitors: Visitors, home: Home, household: DemoHousehold
) -> None:
    other = create_home(household, f"Other{home.admin.name}")
    other.admin.ask("POST", "/shopping-list", {"name": "Secret"})
    phone, entry_id = await open_list(home, visitors)
    await phone.context.clear_cookies()
    await other.admin.sign_in_to(phone.context)
    changes = {
        "**/api/v1/shopping-list/*": {"type": "ShoppingListItem", "id": entry_id, "version": 99},
        "**/list/now": {"type": "reset", "id": "", "version": None},
    }
    for path, change in changes.items():
        async with phone.page.expect_response(path) as asked:
            await phone.page.evaluate(CHANGED, change)
        assert (await asked.value).status == 401
    assert await pending_entry_names(phone) == ["Milk"]
    visitors.complaints.clear()


async def test_list_ignores_switch_to_another_family(visitors: Visitors, home: Home) -> None:
    phone, _ = await open_list(home, visitors)
    other = home.admin.ask("POST", "/families", {"name": "At the sea"})["familyId"]
    chosen = await phone.context.request.post(
        f"/families/{other}/choose", headers={"Origin": home.household.url}, max_redirects=0
    )
    assert chosen.status == 303
    async with phone.page.expect_response("**/list/now") as asked:
        await phone.page.evaluate(CHANGED, {"type": "reset", "id": "", "version": None})
    told = await (await asked.value).json()
    assert [each["name"] for each in told["entries"]] == ["Milk"]
    assert await pending_entry_names(phone) == ["Milk"]

"""The interactive reference of the API, under the policy of all pages."""

from playwright.async_api import expect

from tests.browser.demo_household import DemoHousehold
from tests.browser.visitor import Visitors


async def test_call_from_the_reference_succeeds_with_a_token_only(
    visitors: Visitors, household: DemoHousehold
) -> None:
    mina = household.people["Mina"]
    mina.ask("GET", "/me")
    page = (await visitors.arrive()).page
    await page.goto("/api/docs")
    await page.locator("#operations-tag-me").click()
    await page.locator(".opblock-get [data-path='/api/v1/me']").click()
    await page.get_by_role("button", name="Try it out").click()
    await page.get_by_role("button", name="Execute").click()
    status = page.locator(".live-responses-table .response-col_status").last
    await expect(status).to_contain_text("401")
    await page.get_by_role("button", name="Authorize").first.click()
    form = page.locator("form").filter(has_text="token (http, Bearer)").first
    await form.get_by_role("textbox").fill(mina.api.headers["Authorization"].split()[1])
    await form.get_by_role("button", name="Apply credentials").click()
    await page.get_by_role("button", name="Close").first.click()
    await page.get_by_role("button", name="Execute").click()
    await expect(status).to_contain_text("200")
    await expect(page.locator(".live-responses-table")).to_contain_text("memberId")

"""The settings page: its forms work and show errors."""

from tests.pages import led_to, look, read
from tests.running import PASSWORD, RunningApp

NEW_PASSWORD = "a horse of their own"


async def test_settings_form_changes_password(running: RunningApp) -> None:
    ada = await running.person("ada")
    page = await look(ada, "/settings")
    wrong = {"currentPassword": "not this one", "password": NEW_PASSWORD}
    refused = read(ada, await page.send("/settings/password", **wrong), 400)
    assert refused.has_form("/settings/password")
    asked = {"currentPassword": PASSWORD, "password": NEW_PASSWORD}
    assert led_to(await page.send("/settings/password", **asked)) == "/settings?saved=password"
    for password, status in ((PASSWORD, 401), (NEW_PASSWORD, 200)):
        sent = {"email": ada.email, "password": password}
        assert (await running.visitor().post("/tokens", sent)).status_code == status


async def test_settings_form_refuses_unknown_preference(
    running: RunningApp,
) -> None:
    ada = await running.person("ada")
    before = (await ada.get("/me/preferences")).json()
    page = await look(ada, "/settings")
    refused = read(ada, await page.send("/settings/preferences", timeZone="Nowhere"), 400)
    assert refused.has_form("/settings/preferences")
    assert (await ada.get("/me/preferences")).json() == before
    sent = await page.send("/settings/preferences", timeZone="Europe/Stockholm")
    assert led_to(sent) == "/settings?saved=preferences"
    assert "Saved." in (await look(ada, led_to(sent))).words
    assert (await ada.get("/me/preferences")).json()["timeZone"] == "Europe/Stockholm"

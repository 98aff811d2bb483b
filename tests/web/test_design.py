"""The `/design` page is available only if it is turned on."""

from homeshelf.table import Database
from tests.running import running_app


async def test_design_page_is_off_by_default(database: Database) -> None:
    async with running_app(database) as running:
        assert (await running.visitor().client.get("/design")).status_code == 404
    async with running_app(database, design="on") as running:
        shown = await running.visitor().client.get("/design")
        assert shown.status_code == 200
        assert "The parts" in shown.text

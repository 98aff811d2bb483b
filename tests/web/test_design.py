"""The page that shows every part is there for those who build pages, and for nobody else."""

from homeshelf.table import Database
from tests.running import running_app


async def test_it_is_off_unless_somebody_turns_it_on(database: Database) -> None:
    async with running_app(database) as running:
        assert (await running.visitor().client.get("/design")).status_code == 404
    async with running_app(database, design="on") as running:
        shown = await running.visitor().client.get("/design")
        assert shown.status_code == 200
        assert "The parts" in shown.text

"""The page that shows every part is there for those who build pages, and for nobody else."""

from homeshelf.table import Database
from tests.house import open_house


async def test_it_is_off_unless_somebody_turns_it_on(database: Database) -> None:
    async with open_house(database) as house:
        assert (await house.visitor().client.get("/design")).status_code == 404
    async with open_house(database, design="on") as house:
        shown = await house.visitor().client.get("/design")
        assert shown.status_code == 200
        assert "The parts" in shown.text

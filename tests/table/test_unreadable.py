from contextlib import suppress
from pathlib import Path

import pytest

from homeshelf.table.engine import Unavailable
from homeshelf.table.schema import INVENTORY
from homeshelf.table.sqlite.engine import Sqlite
from tests.table.support import Place, put_all


async def test_a_file_that_is_damaged_under_a_running_engine_is_unavailable(
    tmp_path: Path, home: Place
) -> None:
    engine = Sqlite(tmp_path / "homeshelf.db", sweep_every=None)
    await put_all(engine, home, [f"{number:03}" for number in range(200)], text="x" * 1000)
    damage(tmp_path)
    for number in range(0, 200, 7):
        with suppress(Unavailable):
            await engine.get(home.key(f"{number:03}"))
    with pytest.raises(Unavailable):
        await engine.query(home.all())
    with pytest.raises(Unavailable):
        await engine.scan(INVENTORY, 1000)
    with pytest.raises(Unavailable):
        await engine.get_many([home.key(f"{number:03}") for number in range(100)])
    await engine.close()


def damage(folder: Path) -> None:
    for name in ("homeshelf.db", "homeshelf.db-wal"):
        path = folder / name
        path.write_bytes(b"damaged" * (path.stat().st_size // 7))

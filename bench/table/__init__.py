"""The table layer: each engine beside the same work done by hand."""

import asyncio
import tempfile
from pathlib import Path

from bench.part import Part, Report
from bench.table import dynamodb, sqlite
from bench.table.sizes import Sizes


def run(report: Report, sizes: Sizes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(sqlite.run(report, Path(folder), sizes))
    asyncio.run(dynamodb.run(report, sizes))


PART = Part(
    about=(
        "The embedded engine beside bare SQLite doing the same statements: CPU of reads, and of "
        "durable writes the time until they are. Then how many durable transactions of three go "
        "through it at once, beside bare SQLite one by one. The DynamoDB engine beside the same "
        "requests signed and sent without it, and beside aiobotocore, by the CPU of the client."
    ),
    figures=[*sqlite.FIGURES, *dynamodb.FIGURES],
    run=run,
    full=Sizes(),
    tiny=Sizes(1, 1, 1, 0.01),
    seconds=120,
)

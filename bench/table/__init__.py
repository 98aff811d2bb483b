"""The table layer: each engine beside the same work done by hand."""

import asyncio
import tempfile
from pathlib import Path

from bench.report import Report
from bench.table import dynamodb, sqlite


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(sqlite.run(report, Path(folder)))
    asyncio.run(dynamodb.run(report))

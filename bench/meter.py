"""A proxy in front of a DynamoDB server that adds up the consumed capacity.

with dynoxide() as server, metered(server) as meter:
    ...  # talk to meter.server
    meter.units.read
"""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Thread

from homeshelf.table.dynamodb.errors import CANCELLED, CONDITION_FAILED
from tests.costs import Units, charge, charge_of_refusal
from tests.servers import Server
from tests.table.proxy import Request, open_proxy


@dataclass
class Meter:
    server: Server
    """The server to reach through the meter."""
    units: Units

    async def read(self, request: Request) -> bytes | None:
        """Forward a request, and add the consumed capacity of its response."""
        asked = request.json | {"ReturnConsumedCapacity": "TOTAL"}
        answer = await replace(request, body=json.dumps(asked).encode()).forward()
        head, _, body = answer.partition(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 200"):
            self.units += charge(request.operation, json.loads(body))
        elif any(code.encode() in body for code in (CONDITION_FAILED, CANCELLED)):
            self.units += charge_of_refusal(asked)
        return answer


@contextmanager
def metered(server: Server) -> Iterator[Meter]:
    """Run the meter in its own thread, because its clients may block."""
    meter = Meter(server, Units())
    loop, is_ready = asyncio.new_event_loop(), Event()
    stop = asyncio.Event()

    async def serve() -> None:
        async with open_proxy(server.endpoint) as proxy:
            proxy.always(meter.read)
            meter.server = replace(server, endpoint=proxy.endpoint)
            is_ready.set()
            await stop.wait()

    thread = Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    is_ready.wait()
    try:
        yield meter
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()

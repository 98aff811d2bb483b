"""An engine over a DynamoDB server that soon gives up."""

from homeshelf.table.dynamodb.credentials import Credentials
from homeshelf.table.dynamodb.engine import DynamoDB
from tests.servers import Server

TIMEOUT, DEADLINE = 0.3, 0.8
IN_TIME = DEADLINE + 2
"""With what a busy machine takes for it; who does not give up goes on for a minute."""
LONG = 8.0


def opened(
    server: Server,
    endpoint: str,
    prefix: str,
    deadline: float = DEADLINE,
    timeout: float = TIMEOUT,
) -> DynamoDB:
    credentials = Credentials(server.access_key, server.secret_key)
    return DynamoDB(
        server.region,
        endpoint,
        prefix,
        server.prefixes,
        credentials=credentials,
        timeout=timeout,
        deadline=deadline,
    )

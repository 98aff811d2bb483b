"""The DynamoDB servers that the tests talk to: real programs on loopback."""

from tests.servers.programs import Server, dynoxide, extenddb

__all__ = ["Server", "dynoxide", "extenddb"]

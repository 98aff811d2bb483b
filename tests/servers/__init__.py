"""The DynamoDB servers for the tests: real programs on loopback."""

from tests.servers.programs import Server, dynoxide, extenddb

__all__ = ["Server", "dynoxide", "extenddb"]

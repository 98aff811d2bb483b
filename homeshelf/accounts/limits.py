"""The rate limits of accounts, and the lanes in which passwords are hashed."""

from homeshelf.web.limits import Limits, RateLimit


class AccountLimits:
    def __init__(self, limits: Limits) -> None:
        self.signups = RateLimit(limits.settings.limit_signups)
        self.links = RateLimit(limits.settings.limit_links)
        self.letters = RateLimit(limits.settings.limit_letters)
        self.trusted = limits.hashing.lane()
        """The lane for signed-in callers, known addresses and holders of a mailed link."""
        self.untrusted = limits.hashing.lane()
        self.sign_ups = limits.hashing.lane()

"""How often accounts may be made, mailed and entered, and where their passwords are hashed."""

from homeshelf.web.limits import Limits, Pace


class AccountLimits:
    def __init__(self, limits: Limits) -> None:
        self.signups = Pace(limits.settings.limit_signups)
        self.links = Pace(limits.settings.limit_links)
        self.letters = Pace(limits.settings.limit_letters)
        self.trusted = limits.hashing.lane()
        """For callers who got in from there before, are signed in, or hold a mailed link."""
        self.untrusted = limits.hashing.lane()
        self.sign_ups = limits.hashing.lane()

"""How much may be done with shared lists, and where their passcodes are hashed."""

from homeshelf.web.limits import Limits, Pace, Places, Volume


class ShareLimits:
    def __init__(self, limits: Limits) -> None:
        settings = limits.settings
        self.lists = Pace(settings.limit_shares)
        self.writes = Pace(settings.limit_share_writes)
        self.writes_to_list = Pace(settings.limit_share_writes_list)
        self.streams = Places(settings.limit_share_streams)
        self.holders = limits.hashing.lane()
        """For passcodes from callers who hold one or unlocked the list before."""
        self.strangers = limits.hashing.lane()
        """For passcodes that are guessed, and those of new lists."""
        self.lanes = self.holders, self.strangers
        self._text = Volume(settings.limit_shares_size)
        self._text_of_house = Volume(settings.limit_shares_size_house)

    def take_text(self, address: str, size: int) -> None:
        """Count text that is put on a shared list, for its address and for the house."""
        self._text.take(address, size)
        self._text_of_house.take("house", size)

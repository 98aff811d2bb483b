"""The limits of shared lists, and the lanes that hash their passcodes."""

from homeshelf.web.limits import ConcurrencyLimit, Limits, RateLimit, VolumeLimit


class ShareLimits:
    def __init__(self, limits: Limits) -> None:
        settings = limits.settings
        self.lists = RateLimit(settings.limit_shares)
        self.writes = RateLimit(settings.limit_share_writes)
        self.writes_to_list = RateLimit(settings.limit_share_writes_list)
        self.streams = ConcurrencyLimit(settings.limit_share_streams)
        self.holders = limits.hashing.lane()
        """The lane for callers who have unlocked the list before."""
        self.strangers = limits.hashing.lane()
        """The lane for other callers, and for the passcodes of new lists."""
        self.lanes = self.holders, self.strangers
        self._text = VolumeLimit(settings.limit_shares_size)
        self._text_of_house = VolumeLimit(settings.limit_shares_size_house)

    def take_text(self, address: str, size: int) -> None:
        self._text.take(address, size)
        self._text_of_house.take("house", size)

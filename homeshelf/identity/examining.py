"""Whether the identity provider can be asked."""

from homeshelf.config import Settings
from homeshelf.identity.fetching import ProviderAway
from homeshelf.identity.provider import provider_of
from homeshelf.sentences import _


async def provider_finding(settings: Settings) -> tuple[str, bool]:
    """A sentence about the identity provider, and whether all is well with it."""
    provider = provider_of(settings)
    if provider is None:
        return "people sign in here, with a password.", True
    try:
        metadata = await provider.metadata()
    except ProviderAway as away:
        return _(
            "{issuer} cannot be asked who people are: {away}.", issuer=provider.issuer, away=away
        ), False
    if not metadata.keys:
        return _(
            "{issuer} has no keys that its tokens could be checked with.", issuer=provider.issuer
        ), False
    if metadata.authorization is None or metadata.token is None:
        return _("{issuer} does not say where people sign in.", issuer=provider.issuer), False
    return _("{issuer} says who people are.", issuer=provider.issuer), True

"""The slice for sign-in with an identity provider (OpenID Connect)."""

from homeshelf.identity import pages
from homeshelf.identity.authentication import start
from homeshelf.identity.provider import check_provider
from homeshelf.web.offline_rules import OfflineRules
from homeshelf.web.services import Slice

SLICE = Slice(
    name="identity",
    offline=OfflineRules(arrivals=("sign-in/callback",)),
    first=lambda settings: [pages.router] if settings.oidc_issuer else [],
    examine=check_provider,
    start=start,
)

"""Authenticate requests by a provider's tokens, or by our own cookies."""

from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any

from homeshelf.access.authentication import Authenticator, Token
from homeshelf.accounts.callers import SessionAuthenticator
from homeshelf.accounts.model import Account, Session
from homeshelf.errors import Unauthenticated
from homeshelf.identity.model import Claims
from homeshelf.identity.provider import Provider, provider_of
from homeshelf.identity.store import account_for, unstored_session
from homeshelf.web.services import Services


async def start(services: Services, closing: AsyncExitStack) -> None:
    if provider := provider_of(services.settings):
        closing.push_async_callback(provider.metadata.close)
        services.provide(Provider, provider)
        services.provide(Authenticator, ProviderAuthenticator(services, provider))


@dataclass(frozen=True)
class ProviderToken(Token):
    claims: Claims | None = None
    text: str = ""


class ProviderAuthenticator(SessionAuthenticator):
    def __init__(self, services: Services, provider: Provider) -> None:
        super().__init__(services)
        self._provider = provider

    async def read_bearer_token(self, token: str) -> Token:
        """Read a provider's token, or our own token of a child."""
        with suppress(Unauthenticated):
            return await super().read_bearer_token(token)
        claims = await self._provider.read_access_token(token)
        keys = Account.key(member_id=claims.member_id), claims.claim_key
        return ProviderToken(claims.member_id, keys, claims=claims, text=token)

    async def admit(
        self, token: Token, account: Account | None, proof: Any
    ) -> tuple[Account, Session]:
        if isinstance(token, ProviderToken) and token.claims is not None:
            account = await account_for(
                self._services, self._provider, token.claims, token.text, account, claim=proof
            )
            proof = unstored_session(token.claims, account)
        elif not token.in_cookie and (proof is None or proof.family_id is None):
            raise Unauthenticated
        return await super().admit(token, account, proof)

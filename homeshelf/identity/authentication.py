"""How it is found out who is asking where a provider's tokens say so: cookies are our own still."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from homeshelf.access.authentication import Token
from homeshelf.accounts.callers import SessionAuthenticator
from homeshelf.accounts.model import Account, Session
from homeshelf.identity.model import Claims
from homeshelf.identity.provider import Provider, provider_of
from homeshelf.identity.store import account_of, session_of
from homeshelf.web.application import Application
from homeshelf.web.services import Services


async def start(app: Application, services: Services, closing: AsyncExitStack) -> None:
    if provider := provider_of(services.settings):
        closing.push_async_callback(provider.metadata.close)
        app.state.provider = provider
        app.state.authenticator = ProviderAuthenticator(services, provider)


@dataclass(frozen=True)
class ProviderToken(Token):
    said: Claims | None = None
    text: str = ""


class ProviderAuthenticator(SessionAuthenticator):
    def __init__(self, services: Services, provider: Provider) -> None:
        super().__init__(services)
        self._provider = provider

    async def borne(self, token: str) -> Token:
        said = await self._provider.bearer(token)
        keys = Account.key(member_id=said.member_id), said.claim_key
        return ProviderToken(said.member_id, keys, said=said, text=token)

    async def admitted(
        self, token: Token, account: Account | None, proof: Any
    ) -> tuple[Account, Session]:
        if isinstance(token, ProviderToken) and token.said is not None:
            account = await account_of(
                self._services, self._provider, token.said, token.text, account, claim=proof
            )
            proof = session_of(token.said, account)
        return await super().admitted(token, account, proof)

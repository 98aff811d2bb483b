"""The link under every mail that ends them. It holds for good: mail is read late."""

from homeshelf.signing import Signer, same
from homeshelf.web.ids import is_id


def unsubscribe_link(signer: Signer, member_id: str) -> str:
    return f"/unsubscribe/{member_id}.{_seal(signer, member_id)}"


def unsubscribed(signer: Signer, token: str) -> str | None:
    """Whose mail a token ends."""
    member_id, _, seal = token.partition(".")
    return member_id if is_id(member_id) and same(seal, _seal(signer, member_id)) else None


def _seal(signer: Signer, member_id: str) -> str:
    return signer.seal("unsubscribe", member_id.encode())

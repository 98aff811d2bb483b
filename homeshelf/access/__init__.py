"""Who is asking, as a type in the signature.

    async def rename(admin: Admin, ...)        an admin of the family that the request is about
    async def members(member: Member, ...)     any active member of it
    async def suggest(kid: Suggester, ...)     a suggester of it
    async def me(person: Person, ...)          somebody who is signed in

A handler with none of these is public.
"""

from homeshelf.access.callers import (
    FAMILY_HEADER,
    MEMBER_HEADER,
    Admin,
    InFamily,
    Member,
    Person,
    SignedIn,
    Suggester,
    as_admin,
    as_suggester,
    bearer_of,
    in_family,
    member_asking,
    refusing,
    require_somebody,
    signed_in,
)

__all__ = [
    "FAMILY_HEADER",
    "MEMBER_HEADER",
    "Admin",
    "InFamily",
    "Member",
    "Person",
    "SignedIn",
    "Suggester",
    "as_admin",
    "as_suggester",
    "bearer_of",
    "in_family",
    "member_asking",
    "refusing",
    "require_somebody",
    "signed_in",
]

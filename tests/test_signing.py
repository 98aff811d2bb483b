"""Test signed tokens."""

import io

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from homeshelf import signing
from homeshelf.signing import Signer
from tests.moment import Moment

SECRET = b"the secret of the tests, which is long enough"


def test_token_returns_its_claims_until_it_expires(moment: Moment) -> None:
    signer = Signer(SECRET)
    token = signer.token("access", 900, sub="ada", fam=None)
    moment.pass_by(899)
    for _ in range(2):
        assert signer.read("access", token) == {"sub": "ada", "exp": 1730463300}
    moment.pass_by(1)
    for _ in range(2):
        assert signer.read("access", token) is None


def test_token_is_valid_for_one_purpose() -> None:
    signer = Signer(SECRET)
    token = signer.token("access", 900, sub="ada")
    assert signer.read("access", token)
    assert signer.read("web", token) is None
    assert signer.read("access", token)


def test_changed_token_is_invalid() -> None:
    signer = Signer(SECRET)
    token = signer.token("access", 900, sub="ada")
    assert signer.read("access", token)
    for changed in (token[:-2], f"{token}A", token.lower(), ""):
        assert signer.read("access", changed) is None


def test_token_is_a_standard_jwt() -> None:
    signer = Signer(SECRET)
    key = OctKey.import_key(signer._derived(SECRET, "access"))
    read = jwt.decode(signer.token("access", 900, sub="ada"), key, algorithms=["HS256"])
    assert read.header == {"alg": "HS256", "typ": "JWT"}
    made = jwt.encode({"alg": "HS256"}, read.claims, key)
    assert signer.read("access", made) == read.claims


@pytest.mark.parametrize("sent", ["", ".", "..", "a.b", "\ud800.b.c", "a.b.\ud800", "ä.ö.ü"])
def test_other_text_is_no_token(sent: str) -> None:
    assert Signer(SECRET).read("access", sent) is None


def test_token_of_another_house_is_invalid() -> None:
    token = Signer(SECRET).token("access", 900, sub="ada")
    assert Signer(SECRET[::-1]).read("access", token) is None


def test_claims_are_a_copy() -> None:
    signer = Signer(SECRET)
    token = signer.token("access", 900, sub="ada")
    for _ in range(2):
        claims = signer.read("access", token)
        assert claims is not None
        assert claims.pop("sub") == "ada"


def test_token_cache_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "REMEMBERED", 3)
    signer = Signer(SECRET)
    tokens = [signer.token("access", 900, sub=f"{number}") for number in range(10)]
    for _ in range(2):
        assert [(signer.read("access", t) or {})["sub"] for t in tokens] == list("0123456789")
    assert len(signer._verified) <= 3
    assert signer.read("access", "forged") is None
    assert ("access", "forged") not in signer._verified


def test_seal_of_a_file_equals_the_seal_of_its_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "PART_BYTES", 3)
    signer, file = Signer(SECRET), io.BytesIO(b"title\nDune\n")
    file.read()
    text = b"title\nDune\n"
    assert list(signer.seals_of_file("answer", file)) == [signer.seal("answer", text)]

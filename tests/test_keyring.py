"""Test which signing keys are in use at which time."""

import pytest

from homeshelf.coordination.signing_keys import LOOKED_AT_SECONDS, format_keys, parse_keys
from homeshelf.keyring import LEAD_SECONDS, OVERLAP_SECONDS, Keyring, SigningKey
from homeshelf.signing import Signer
from tests.moment import Moment

FIRST, SECOND = b"1" * 32, b"2" * 32
NOW = 1_800_000_000


def secrets(keys: Keyring, now: int) -> list[bytes]:
    return [each.secret for each in keys.verifying_keys(now)]


def test_new_key_verifies_before_it_signs_and_old_key_afterwards() -> None:
    keys = Keyring.of(FIRST).rotate(NOW)
    new = keys.keys[0].secret
    signs = NOW + LEAD_SECONDS
    assert secrets(keys, NOW) == secrets(keys, signs - 1) == [FIRST, new]
    assert secrets(keys, signs) == [new, FIRST]
    assert secrets(keys, signs + OVERLAP_SECONDS - 1) == [new, FIRST]
    assert secrets(keys, signs + OVERLAP_SECONDS) == [new]
    assert keys.prune(signs + OVERLAP_SECONDS).keys == keys.keys[:1]
    assert LOOKED_AT_SECONDS * 3 <= LEAD_SECONDS, "everybody has looked by then"


def test_second_rotation_is_possible_during_the_first() -> None:
    first = Keyring.of(FIRST)
    twice = first.rotate(NOW).rotate(NOW + 10)
    newest, middle, oldest = twice.keys
    assert oldest.secret == FIRST
    assert secrets(twice, NOW + 500) == [newest.secret, middle.secret, FIRST]
    later = twice.rotate(NOW + OVERLAP_SECONDS + LEAD_SECONDS + 5)
    assert later.keys[1:] == (newest, middle), "the oldest is gone when the next one is made"


def test_immediate_rotation_leaves_only_the_new_key() -> None:
    keys = Keyring.of(FIRST, SECOND).rotate(NOW, at_once=True)
    assert secrets(keys, NOW) == [keys.keys[0].secret]
    assert keys.keys[0].secret not in (FIRST, SECOND)


def test_keys_of_the_settings_are_valid_while_they_are_set() -> None:
    assert secrets(Keyring.of(FIRST, SECOND), NOW) == [FIRST, SECOND]


@pytest.mark.parametrize("keys", [Keyring.of(FIRST), Keyring.of(FIRST).rotate(NOW)])
def test_stored_keyring_is_read_back(keys: Keyring) -> None:
    assert parse_keys(format_keys(keys)) == keys


@pytest.mark.parametrize("text", ["", " ", "short", "a" * 43 + ":x", "é" * 50, "a" * 43 + " b"])
def test_invalid_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_keys(text)


def test_signer_verifies_tokens_of_all_its_keys(moment: Moment) -> None:
    del moment
    signer = Signer(FIRST)
    before = signer.token("access", 900, sub="ada")
    signer.adopt(Keyring((SigningKey(SECOND, 1), SigningKey(FIRST))))
    after = signer.token("access", 900, sub="ada")
    assert signer.read("access", after) is not None
    assert Signer(SECOND).read("access", after) is not None
    assert Signer(FIRST).read("access", after) is None
    assert signer.read("access", before) is None, "the time of the first one is over"
    signer.adopt(Keyring.of(SECOND, FIRST))
    assert signer.read("access", before) is not None
    signer.adopt(Keyring.of(SECOND))
    assert signer.read("access", before) is None, "what was read before is not remembered"

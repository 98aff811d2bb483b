"""Test which signing keys are in use at which time."""

import pytest

from homeshelf.coordination.signing_keys import LOOKED_AT_SECONDS, keys_in, text_of
from homeshelf.keyring import LEAD_SECONDS, OVERLAP_SECONDS, Keyring, SigningKey
from homeshelf.signing import Signer
from tests.moment import Moment

FIRST, SECOND = b"1" * 32, b"2" * 32
NOW = 1_800_000_000


def secrets(keys: Keyring, now: int) -> list[bytes]:
    return [each.secret for each in keys.counting(now)]


def test_a_new_key_counts_before_it_signs_and_the_old_one_after_it_did() -> None:
    keys = Keyring.of(FIRST).rotated(NOW)
    new = keys.keys[0].secret
    signs = NOW + LEAD_SECONDS
    assert secrets(keys, NOW) == secrets(keys, signs - 1) == [FIRST, new]
    assert secrets(keys, signs) == [new, FIRST]
    assert secrets(keys, signs + OVERLAP_SECONDS - 1) == [new, FIRST]
    assert secrets(keys, signs + OVERLAP_SECONDS) == [new]
    assert keys.pruned(signs + OVERLAP_SECONDS).keys == keys.keys[:1]
    assert LOOKED_AT_SECONDS * 3 <= LEAD_SECONDS, "everybody has looked by then"


def test_one_may_follow_another_before_that_one_is_gone() -> None:
    first = Keyring.of(FIRST)
    twice = first.rotated(NOW).rotated(NOW + 10)
    newest, middle, oldest = twice.keys
    assert oldest.secret == FIRST
    assert secrets(twice, NOW + 500) == [newest.secret, middle.secret, FIRST]
    later = twice.rotated(NOW + OVERLAP_SECONDS + LEAD_SECONDS + 5)
    assert later.keys[1:] == (newest, middle), "the oldest is gone when the next one is made"


def test_at_once_only_the_new_one_counts() -> None:
    keys = Keyring.of(FIRST, SECOND).rotated(NOW, at_once=True)
    assert secrets(keys, NOW) == [keys.keys[0].secret]
    assert keys.keys[0].secret not in (FIRST, SECOND)


def test_those_of_the_settings_count_as_long_as_they_are_there() -> None:
    assert secrets(Keyring.of(FIRST, SECOND), NOW) == [FIRST, SECOND]


@pytest.mark.parametrize("keys", [Keyring.of(FIRST), Keyring.of(FIRST).rotated(NOW)])
def test_what_is_written_is_read_again(keys: Keyring) -> None:
    assert keys_in(text_of(keys)) == keys


@pytest.mark.parametrize("text", ["", " ", "short", "a" * 43 + ":x", "é" * 50, "a" * 43 + " b"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        keys_in(text)


def test_a_signer_that_adopts_keys_reads_what_each_has_signed(moment: Moment) -> None:
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

"""Test times as text, and ids with and without an order."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeshelf import clock
from tests.moment import Moment


@given(st.integers(946_684_800_000_000, 32_472_144_000_000_000))
def test_now_and_timestamp_agree(microseconds: int) -> None:
    moment = Moment(clock.moment(microseconds * 1000).isoformat())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "nanoseconds", moment.nanoseconds)
        milliseconds = moment.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        assert clock.timestamp() == clock.timestamp(moment.at) == milliseconds


def test_new_ids_are_random_uuids() -> None:
    made = [clock.new_id() for _ in range(2000)]
    assert len(set(made)) == len(made)
    assert {(UUID(each).version, str(UUID(each)) == each) for each in made} == {(4, True)}


def test_ordered_ids_of_one_millisecond_keep_creation_order(moment: Moment) -> None:
    made = [clock.ordered_id() for _ in range(5000)]
    assert made == sorted(set(made))
    assert {UUID(each).version for each in made} == {7}
    assert {clock.moment_of(each) for each in made} == {moment.at}
    assert {clock.second_of(each) for each in made} == {clock.seconds()}


def test_timestamps_in_order_differ_within_one_moment(moment: Moment) -> None:
    made = [clock.timestamp_in_order() for _ in range(200)]
    assert made == sorted(set(made))
    moment.pass_by(-0.5)
    assert clock.timestamp_in_order() > made[-1]


def test_timestamp_in_order_is_later_than_the_one_it_is_given(moment: Moment) -> None:
    latest = clock.timestamp(moment.at + timedelta(hours=1))
    assert clock.timestamp_in_order(latest) > latest
    assert clock.timestamp_in_order() == clock.timestamp()


def test_timestamps_in_order_stay_within_a_second_of_the_clock(moment: Moment) -> None:
    latest = max(clock.timestamp_in_order() for _ in range(3000))
    assert latest <= clock.timestamp(moment.at + timedelta(seconds=1))
    moment.pass_by(-3600)
    assert clock.timestamp_in_order() == clock.timestamp()


def test_clock_correction_keeps_id_order(moment: Moment) -> None:
    before = clock.ordered_id()
    moment.pass_by(-5)
    assert clock.ordered_id() > before


def test_concurrent_threads_create_distinct_ids() -> None:
    with ThreadPoolExecutor(8) as several:
        made = list(several.map(lambda _: clock.ordered_id(), range(4000)))
    assert len(set(made)) == len(made)


def test_ids_sort_after_the_start_of_their_moment() -> None:
    start = clock.lowest_ordered_id(clock.now() - timedelta(milliseconds=1))
    assert start < clock.ordered_id()
    assert abs(clock.moment_of(start) - clock.now()) < timedelta(seconds=1)


@given(st.text() | st.from_regex(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}(-.*)?", fullmatch=True))
def test_any_text_has_a_moment_or_none(text: str) -> None:
    try:
        made = clock.moment_of(text)
    except ValueError:
        return
    assert text.startswith(clock.lowest_ordered_id(made))


def test_id_beyond_supported_years_has_no_moment() -> None:
    for text in ("ffffffff-ffff", "ffffffff-ffff-7fff-bfff-ffffffffffff"):
        with pytest.raises(ValueError, match="year"):
            clock.moment_of(text)

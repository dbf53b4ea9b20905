"""Entries are archived after their last day."""

from __future__ import annotations

from tests.conftest import Opener


def test_an_entry_archives_itself_after_its_day(opened: Opener) -> None:
    id_ = opened().store(category="fact", content="The fair is on.", expires="2026-11-16").id

    on_the_day = opened(clock=lambda: "2026-11-16T20:00:00Z")
    assert [entry.id for entry in on_the_day.recall("fair").entries] == [id_]
    after = opened(clock=lambda: "2026-11-17T00:00:01Z")
    assert after.recall("fair").entries == ()
    assert after.entry(id_).archived
    assert after.history(id_)[-1].change == "expired on 2026-11-16T23:59:59Z"


def test_a_clock_that_ran_ahead_costs_no_memory(opened: Opener) -> None:
    id_ = opened().store(category="fact", content="The fair is on.", expires="2026-12-24").id
    wrong = opened(clock=lambda: "2076-01-01T00:00:00Z")
    assert wrong.recall("fair").entries == ()

    right = opened(clock=lambda: "2026-11-16T00:00:00Z")

    assert [entry.id for entry in right.recall("fair").entries] == [id_]
    assert opened(clock=lambda: "2026-12-25T00:00:01Z").recall("fair").entries == ()


def test_a_clock_that_goes_back_revives_nothing_that_a_person_archived(opened: Opener) -> None:
    memory = opened()
    id_ = memory.store(
        category="fact", content="The fair is on.", expires="2026-12-24", trust="untrusted"
    ).id
    other = memory.store(category="fact", content="The mill is shut.", expires="2026-12-24").id
    forgotten = memory.store(category="fact", content="Ann is ill.", expires="2026-12-24").id
    memory.dismiss(id_)
    wrong = opened(clock=lambda: "2076-01-01T00:00:00Z")
    wrong.recall("fair")
    wrong.forget(forgotten)

    right = opened(clock=lambda: "2026-11-16T00:00:00Z")
    right.recall("fair")

    assert right.entry(id_).archived
    assert right.entry(forgotten).archived
    assert not right.entry(other).archived

"""What nobody needs is archived with notice, never lost, and comes back when asked for."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from remem.app.workspace import Workspace
from remem.entries.decay import DecayReport
from remem.errors import NotAllowed
from tests.conftest import Opener

FIRST = date(2026, 1, 1)
LOW = "The mill sells day-old bread on Mondays."


def at(days: int) -> str:
    return f"{FIRST + timedelta(days=days)}T08:00:00Z"


class Years:
    """A workspace whose clock a test sets."""

    def __init__(self, opened: Opener) -> None:
        self.opened = opened
        self.days = 0
        self.memory = opened(clock=lambda: at(self.days))

    def decay(self, days: int, **how: bool) -> DecayReport:
        self.days = days
        return self.memory.maintenance.decay(**how)

    def low(self, content: str = LOW, **more: object) -> str:
        given: dict[str, object] = {"category": "fact", "priority": "low", **more}
        return self.memory.store(content=content, **given).id  # type: ignore[arg-type]


@pytest.fixture
def years(opened: Opener) -> Years:
    return Years(opened)


def ids(done: DecayReport) -> list[str]:
    return [entry.id for entry in done.archived]


def told(memory: Workspace, question: str) -> list[str]:
    return [entry.id for entry in memory.recall(question).entries]


def test_a_low_memory_is_archived_after_210_idle_days(years: Years) -> None:
    id_ = years.low()
    years.decay(0)

    assert ids(years.decay(209)) == []
    done = years.decay(210)

    assert ids(done) == [id_]
    assert years.memory.entry(id_).archived
    assert years.memory.history(id_)[-1].change == (
        "faded: low priority, last used or changed on 2026-01-01"
    )


@pytest.mark.parametrize(
    "kept",
    [
        {"priority": "medium"},
        {"priority": "high"},
        {"priority": "critical"},
        {"category": "instruction"},
    ],
)
def test_other_entries_are_never_archived(years: Years, kept: dict[str, object]) -> None:
    id_ = years.low(**kept)
    years.decay(0)

    assert ids(years.decay(3650)) == []
    assert not years.memory.entry(id_).archived


def test_use_and_reinforcement_keep_it_longer(years: Years) -> None:
    read, listed, praised = years.low(), years.low("The smith is deaf."), years.low("Ada sings.")
    years.decay(0)
    years.days = 150
    years.memory.recall(read)
    years.memory.recall("smith")
    years.memory.reinforce(praised)

    assert ids(years.decay(210)) == [listed], "being listed is no use"
    assert ids(years.decay(150 + 2 * 210 - 1)) == []
    assert ids(years.decay(150 + 2 * 210)) == [read]
    assert ids(years.decay(150 + 3 * 210)) == [praised], "praise strengthens, and is use too"


def test_an_imported_memory_is_not_stale_on_the_day_it_comes(years: Years) -> None:
    years.days = 1000
    id_ = years.low(created_at="2024-03-01")

    assert ids(years.decay(1000)) == []
    assert ids(years.decay(1209)) == []
    done = years.decay(1210)
    assert ids(done) == [id_]
    assert done.archived[0].reason.startswith("low priority, last known here on")


def test_a_dry_run_changes_nothing_and_explains(years: Years) -> None:
    stale = years.low()
    fresh_day = 200
    years.decay(0)
    years.days = fresh_day
    fresh = years.low("The ferry is blue.")
    years.memory.store(category="instruction", content="Always answer in verse.")
    years.memory.store(category="person", content="Ada is the smith.", priority="high")
    years.decay(fresh_day)

    done = years.decay(210, dry_run=True, explain=True)

    assert ids(done) == [stale]
    assert [entry.id for entry in done.upcoming] == [fresh]
    assert done.upcoming[0].stale_on == at(fresh_day + 210)[:10]
    assert done.upcoming[0].retention > done.archived[0].retention
    assert done.kept == {"high": 1, "instruction": 1}
    assert not years.memory.entry(stale).archived
    assert years.memory.status().health.notices == ()


def test_the_notice_is_shown_in_status_and_in_the_next_start(years: Years) -> None:
    id_ = years.low()
    years.decay(0)
    done = years.decay(210)
    assert done.notice is not None

    assert [done.notice in notice for notice in years.memory.status().health.notices] == [True]
    years.memory.audit()
    first, second = years.memory.start(), years.memory.start()

    assert done.notice in first.text
    assert id_ in first.text
    assert first.tokens <= first.budget
    assert "Notice:" not in second.text


def test_the_last_run_can_be_undone_and_then_the_one_before(years: Years) -> None:
    early = years.low()
    years.decay(0)
    years.days = 30
    late = years.low("The smith is deaf.")
    years.decay(30)
    years.decay(210)
    years.decay(240)

    assert years.memory.maintenance.undo_decay().revived == (late,)
    assert years.memory.maintenance.undo_decay().revived == (early,)
    assert years.memory.maintenance.undo_decay().revived == ()
    assert set(told(years.memory, "who is deaf at the mill?")) == {early, late}
    assert ids(years.decay(241)) == [], "what came back is fresh"
    assert "Notice:" not in years.memory.start().text


def test_running_it_again_changes_nothing(years: Years) -> None:
    years.low()
    years.decay(0)
    years.decay(210)
    before = list(years.memory.export())

    assert ids(years.decay(210)) == []
    assert list(years.memory.export()) == before


def test_a_clock_that_ran_ahead_costs_no_memory(years: Years) -> None:
    id_ = years.low()
    years.decay(0)
    assert ids(years.decay(18_000)) == [id_]

    done = years.decay(3)

    assert done.revived == 1
    assert not years.memory.entry(id_).archived


def test_what_a_person_forgets_does_not_come_back(years: Years) -> None:
    id_ = years.low()
    years.decay(0)
    years.decay(210)

    years.memory.forget(id_)

    assert years.memory.history(id_)[-1].change == "forgotten"
    assert years.memory.maintenance.undo_decay().revived == ()
    assert told(years.memory, "day-old bread at the mill") == []
    years.memory.recall(id_)
    assert years.memory.entry(id_).archived


def test_only_the_owner_lets_memory_fade(opened: Opener) -> None:
    agent = opened(trust="agent")

    with pytest.raises(NotAllowed):
        agent.maintenance.decay()
    with pytest.raises(NotAllowed):
        agent.maintenance.undo_decay()


def test_many_are_archived_in_steps_and_all_of_them_undone(years: Years) -> None:
    years.memory.store_many(
        {"category": "fact", "priority": "low", "content": f"Parcel {n} went to harbour {n}."}
        for n in range(450)
    )
    years.decay(0)

    assert len(years.decay(210).archived) == 450
    assert len(years.memory.maintenance.undo_decay().revived) == 450

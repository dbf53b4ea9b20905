"""“Untrusted memory … cannot become … a fact … until the owner confirms it.”"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput, NotAllowed, UnknownEntry
from tests.conftest import Opener


@pytest.fixture
def waiting(memory: Workspace) -> str:
    done = memory.facts.record(
        "Zoë", "Zoë sells boats.", category="milestone", timestamp="2026-10-01", trust="untrusted"
    )
    assert done.waiting is not None
    assert done.facts == ()
    assert "remem review" in done.notes[0]
    return done.waiting


def test_an_untrusted_statement_waits_and_is_not_a_fact(
    memory: Workspace, root: Path, waiting: str
) -> None:
    assert not (root / "brain").exists()
    assert [entry.id for entry in memory.review()] == [waiting]
    assert memory.recall("who sells boats?").entries == ()
    shown = memory.recall("who sells boats?", include_untrusted=True).entries
    assert [entry.trust for entry in shown] == ["untrusted"]


def test_confirming_a_statement_makes_it_a_complete_fact(
    memory: Workspace, root: Path, waiting: str
) -> None:
    entry = memory.confirm(waiting)

    (fact,) = json.loads((root / "brain/areas/zoë/items.json").read_text())
    assert (fact["fact"], fact["category"]) == ("Zoë sells boats.", "milestone")
    assert fact["timestamp"] == "2026-10-01"
    assert entry.archived
    assert memory.review() == []
    assert "as the fact zoë-001" in memory.history(waiting)[-1].change
    with pytest.raises(UnknownEntry):
        memory.confirm(waiting)


def test_the_same_words_about_two_people_wait_as_two_statements(memory: Workspace) -> None:
    words = "Lives in a house by the harbour."
    held = [memory.facts.record(who, words, trust="untrusted").waiting for who in ("Ada", "Bo")]
    again = memory.facts.record("Bo", words, trust="untrusted")
    assert again.waiting == held[1]

    for id_ in held:
        memory.confirm(id_ or "")

    assert [memory.facts.active(who).facts[0].fact for who in ("Ada", "Bo")] == [words, words]


def test_an_erased_statement_does_not_wait_again(memory: Workspace, waiting: str) -> None:
    memory.erase(waiting)

    with pytest.raises(InvalidInput, match="the owner has erased this text"):
        memory.facts.record("Zoë", "Zoë sells boats.", trust="untrusted")


def test_a_dismissed_statement_does_not_become_a_fact(
    memory: Workspace, root: Path, waiting: str
) -> None:
    memory.dismiss(waiting)

    assert memory.review() == []
    with pytest.raises(UnknownEntry):
        memory.confirm(waiting)
    assert not (root / "brain").exists()


def test_an_untrusted_memory_supersedes_nothing_before_it_is_confirmed(memory: Workspace) -> None:
    memory.facts.record("Zoë", "Zoë lives in Bern.", timestamp="2026-01-01")

    done = memory.facts.supersede("zoë-001", "Zoë lives in Basel.", trust="untrusted")

    assert [fact.fact for fact in memory.facts.active("Zoë").facts or ()] == ["Zoë lives in Bern."]
    assert done.waiting is not None
    memory.confirm(done.waiting)
    assert [fact.fact for fact in memory.facts.active("Zoë").facts or ()] == ["Zoë lives in Basel."]


def test_a_caller_cannot_raise_their_trust(opened: Opener) -> None:
    stranger = opened(trust="untrusted")

    with pytest.raises(NotAllowed, match="higher than this session may grant"):
        stranger.facts.record("Zoë", "Zoë sells boats.", trust="owner")
    done = stranger.facts.record("Zoë", "Zoë sells boats.")

    assert done.waiting is not None
    with pytest.raises(NotAllowed):
        stranger.confirm(done.waiting)


def test_a_kill_between_the_fact_and_its_entry_doubles_nothing(
    memory: Workspace, root: Path, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from remem.app.services import facts

    def die(*_: object) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(facts, "confirm_as_fact", die)
        with pytest.raises(KeyboardInterrupt):
            memory.confirm(waiting)
    memory.confirm(waiting)

    assert len(json.loads((root / "brain/areas/zoë/items.json").read_text())) == 1
    assert memory.review() == []

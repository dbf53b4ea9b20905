"""Entries are confirmed and dismissed; none is ever deleted."""

from __future__ import annotations

import pytest

from remem.app.workspace import Workspace
from remem.errors import NotAllowed, UnknownEntry
from tests.conftest import Opener


def test_what_is_confirmed_becomes_the_owners(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="The mill opens at ten.", trust="untrusted").id
    assert memory.recall("when does the mill open").entries == ()

    memory.confirm(id_)

    assert [entry.id for entry in memory.recall("when does the mill open").entries] == [id_]
    assert memory.entry(id_).trust == "owner"
    assert memory.review() == []


def test_what_is_dismissed_is_archived(memory: Workspace) -> None:
    id_ = memory.store(category="fact", content="The mill opens at ten.", trust="untrusted").id

    memory.dismiss(id_)

    assert memory.entry(id_).archived
    assert memory.review() == []


def test_only_what_waits_can_be_judged(memory: Workspace) -> None:
    trusted = memory.store(category="fact", content="Mine.").id

    for id_ in (trusted, "mem-00000000"):
        with pytest.raises(UnknownEntry, match=id_):
            memory.confirm(id_)


def test_only_the_owner_reviews(opened: Opener) -> None:
    with pytest.raises(NotAllowed):
        opened(trust="agent").review()

"""What nobody has looked at for a month is stale; what only came from long ago is not."""

from __future__ import annotations

from remem.admin.audit.result import StaleEntries
from remem.app.workspace import Workspace
from tests.conftest import Opener

THEN, LATER, NOW = "2026-01-01T00:00:00Z", "2026-02-15T00:00:00Z", "2026-03-01T00:00:00Z"


def at(opened: Opener, when: str, **options: object) -> Workspace:
    return opened(clock=lambda: when, **options)


def stale(opened: Opener) -> tuple[StaleEntries, ...]:
    with at(opened, NOW) as memory:
        return memory.audit("domains").stale


def test_an_entry_that_nobody_has_seen_for_a_month_is_stale(opened: Opener) -> None:
    with at(opened, THEN) as memory:
        cost = memory.store(category="fact", content="The gate is red.").token_cost

    assert stale(opened) == (StaleEntries("facts", 1, cost, THEN),)


def test_being_listed_counts_as_being_seen(opened: Opener) -> None:
    with at(opened, THEN) as memory:
        memory.store(category="fact", content="The gate is red.")
    with at(opened, LATER) as memory:
        assert memory.recall("gate").entries

    assert stale(opened) == ()


def test_what_was_imported_today_with_an_old_date_is_not_stale(opened: Opener) -> None:
    with at(opened, NOW) as memory:
        memory.store(
            category="fact", content="The gate was red.", created_at=THEN, source="migration"
        )

    assert stale(opened) == ()


def test_an_import_is_stale_after_a_month_here(opened: Opener) -> None:
    with at(opened, THEN) as memory:
        memory.store(
            category="fact", content="The roof is green.", created_at=THEN, source="migration"
        )
        memory.store(category="person", content="Mara knows the gate.", source="migration")
        assert memory.recall("who knows the gate, Mara?", categories=["person"]).entries

    assert {item.domain for item in stale(opened)} == {"facts", "people"}


def test_archived_and_untrusted_entries_are_not_stale(opened: Opener) -> None:
    with at(opened, THEN) as memory:
        memory.store(category="fact", content="A page said so.", trust="untrusted")

    assert stale(opened) == ()

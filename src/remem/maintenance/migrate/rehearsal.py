"""What would a migration do? The same decisions on the same plans; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remem.core.likeness import fingerprint
from remem.maintenance.migrate.account import Removed
from remem.maintenance.migrate.plan import Item, Plan
from remem.maintenance.migrate.storing import ERASED, Done, Known, Step, Stored, told_again
from remem.ports import Snapshot


def rehearse(snapshot: Snapshot, plans: Sequence[Plan], known: Mapping[int, Known]) -> Step:
    """Entries that do not exist yet have no id."""
    news: dict[int, Known] = {}
    return Step(tuple(_file(snapshot, plan, known, news) for plan in plans), news)


def _file(
    snapshot: Snapshot, plan: Plan, known: Mapping[int, Known], news: dict[int, Known]
) -> Stored:
    done = []
    for item in plan.items:
        held_by = news.get(item.folded) or known.get(item.folded)
        result = _statement(snapshot, plan.source.path, item, held_by)
        done.append(result)
        if result.outcome != "left":
            held = Known(result.id or "", item.draft.category, item.draft.trust)
            news.setdefault(item.folded, held)
    path = plan.source.path
    there = {each.id: each for each in snapshot.find([row.id for row in plan.gone])}
    gone = [
        Removed(path, row.line, row.id, there[row.id].content)
        for row in plan.gone
        if row.id in there
    ]
    return Stored(tuple(done), tuple(gone))


def _statement(snapshot: Snapshot, path: str, item: Item, known: Known | None) -> Done:
    if item.row is not None:
        there = snapshot.find([item.row.id])
        if item.unchanged and there:
            return Done(told_again(there[0], path, item.row), item.row.id, "unchanged")
        if item.unchanged:
            return Done("left", item.row.id, "unchanged", ERASED)
        if known is None and there:
            return Done("taken", item.row.id, "changed")
    if known is not None:
        return Done("merged", known.id or None, "new")
    draft = item.draft
    same = snapshot.same_as(draft.category, draft.trust, fingerprint(draft.content))
    return Done("merged", same[0].entry.id, "new") if same else Done("taken", None, "new")

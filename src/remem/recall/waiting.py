"""Who still waits for a model's vector, and what finds him until then?"""

from __future__ import annotations

from collections.abc import Iterable

from remem.ports import ModelIdentity, Snapshot


def who_waits(snapshot: Snapshot, models: Iterable[ModelIdentity]) -> list[str]:
    """What an answer says of it."""
    waiting = snapshot.pending_count()
    if not waiting:
        return []
    quick = max((snapshot.quick_count(each) for each in models), default=0)
    notes = []
    if quick:
        notes.append(f"{quick} entries have a quick vector until the model has read them")
    if waiting > quick:
        notes.append(f"{waiting - quick} entries have no vector yet; keywords find them")
    return notes

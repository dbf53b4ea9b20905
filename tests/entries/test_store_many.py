"""Stored together or one by one, memories become the same entries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.model.entry import Filter
from remem.ports.records import Where

_WORDS = "the printer in hall runs cellar boat Ada tea black every morning at eight nine".split()


def memories(count: int, seed: int = 5) -> list[dict[str, Any]]:
    """New ones, and again and again the same, longer, otherwise spelled and similar ones."""
    random = Random(seed)
    found: list[dict[str, Any]] = []
    for number in range(count):
        said = found[random.randrange(number)]["content"] if number else ""
        words = random.choices(_WORDS, k=random.randint(4, 12))
        content = {
            0: f"{said} {' '.join(words)} {number}." if said else "Tea.",
            1: said.upper() or "Tea.",
            2: said or "Tea.",
            3: f"{said} {number}" if said else "Tea.",
        }.get(random.randrange(10), f"{' '.join(words)} {number}.")
        category = random.choice(("fact", "fact", "fact", "insight"))
        found.append({"category": category, "content": content, "tags": [random.choice(_WORDS)]})
    return found


def told(memory: Workspace, store: Callable[[Workspace], list[Any]]) -> tuple[Any, ...]:
    """All that became of the memories, with the ids written as the order in which they came."""
    receipts = store(memory)
    with memory.services.store.read() as snapshot:
        entries = snapshot.select(Where(state="any"))
        names = {entry.id: number for number, entry in enumerate(entries)}
        histories = [
            [
                (version.version, version.change, version.entry.content)
                for version in snapshot.history(entry.id)
            ]
            for entry in entries
        ]
        found = [[names[id_] for id_ in entry.related_to] for entry in entries]
        rows = snapshot.keyword(["printer"], Filter(), 1_000).total
    kept = [(e.content, e.category, e.strength, e.version, e.tags) for e in entries]
    answers = [
        (
            names[receipt.id],
            receipt.deduplicated,
            receipt.version,
            [names[one] for one in receipt.linked],
        )
        for receipt in receipts
    ]
    return answers, kept, found, histories, rows


def test_what_is_stored_together_becomes_what_it_would_one_by_one(tmp_path: Path) -> None:
    given = [{**memory, "origin": None} for memory in memories(60)]
    first, second = given[:20], given[20:]

    def together(memory: Workspace) -> list[Any]:
        return memory.store_many(first) + memory.store_many(second)

    def one_by_one(memory: Workspace) -> list[Any]:
        return [found for item in given for found in memory.store_many([item])]

    results = []
    for store in (together, one_by_one):
        folder = tmp_path / store.__name__
        with open_workspace(folder, background=False, environment={"REMEM_MODELS": "/"}) as memory:
            results.append(told(memory, store))

    assert results[0] == results[1]
    assert any(deduplicated for _, deduplicated, _, _ in results[0][0])
    assert any(linked for _, _, _, linked in results[0][0])

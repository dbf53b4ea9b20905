"""A statement ends another one only by name, or where the owner declared a relation single-valued.

Each pair is an old and a new statement with the answer to: does the new one end the old one? Every
trap is tried with every relation of a list, which gives more than three hundred labelled pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput

SINGLE = ("lives in", "reports to", "is led by", "runs on", "wohnt in", "住在")
PLURAL = ("knows", "uses", "visited", "is a friend of", "works on", "arbeitet mit", "认识")
Pair = tuple[dict[str, Any], dict[str, Any]]


def says(subject: str, relation: str, object_: str, **more: Any) -> dict[str, Any]:
    return {"subject": subject, "relation": relation, "object": object_, **more}


# Each trap makes a pair for a subject and a relation.
TRAPS: dict[str, Callable[[str, str], Pair]] = {
    "the same statement": lambda s, r: (says(s, r, "Bern"), says(s, r, "Bern")),
    "the same statement in other case": lambda s, r: (says(s, r, "Bern"), says(s, r, "BERN")),
    "another subject": lambda s, r: (says(s, r, "Bern"), says(f"{s} jr", r, "Faro")),
    "a subject that begins alike": lambda s, r: (says(s, r, "Bern"), says(f"{s}a", r, "Faro")),
    "another relation": lambda s, r: (says(s, r, "Bern"), says(s, f"once {r}", "Faro")),
    "a relation that ends alike": lambda s, r: (says(s, f"never {r}", "Bern"), says(s, r, "Faro")),
    "the object is the subject": lambda s, r: (says(f"Bern {s}", r, s), says(s, r, "Faro")),
    "the subject is the object": lambda s, r: (says(s, r, "Bern"), says(f"Faro {s}", r, s)),
    "the same two, turned around": lambda s, r: (
        says(s, r, f"Bern {s}"),
        says(f"Bern {s}", r, s),
    ),
    "an observation": lambda s, r: (
        says(s, r, "Bern"),
        {"name": s, "observations": [f"{r} Faro"]},
    ),
    "a type": lambda s, r: (says(s, r, "Bern"), {"name": s, "entityType": "Faro"}),
    "the new one is older": lambda s, r: (
        says(s, r, "Bern", valid_at="2025-05-01"),
        says(s, r, "Faro", valid_at="2019-02-01"),
    ),
    "a negation": lambda s, r: (says(s, r, "Bern"), says(s, f"no longer {r}", "Bern")),
    "a longer relation": lambda s, r: (says(s, r, "Bern"), says(s, f"{r} part of", "Faro")),
    "a similar object of another subject": lambda s, r: (
        says(s, r, "New Bern"),
        says(f"{s} sr", r, "New Bern"),
    ),
    "an aspect of the same": lambda s, r: (
        says(s, r, "Bern"),
        says(f"{s} abroad", r, "Bern Old Town"),
    ),
    "fewer details": lambda s, r: (says(s, r, "Bern", fact="by the river"), says(s, r, "Bern")),
    "more details": lambda s, r: (says(s, r, "Bern"), says(s, r, "Bern", fact="by the river")),
    "details about the same": lambda s, r: (
        says(s, r, "Bern"),
        {"name": "Bern", "observations": ["is in Switzerland"]},
    ),
}
CHANGES: dict[str, Callable[[str, str], Pair]] = {
    "another object": lambda s, r: (says(s, r, "Bern"), says(s, r, "Faro")),
    "another object, later": lambda s, r: (
        says(s, r, "Bern", valid_at="2020-05-01"),
        says(s, r, "Faro", valid_at="2024-02-01"),
    ),
    "another object on the same day": lambda s, r: (
        says(s, r, "Bern", valid_at="2020-05-01"),
        says(s, r, "Faro", valid_at="2020-05-01"),
    ),
    "the relation in other case": lambda s, r: (says(s, r, "Bern"), says(s, r.upper(), "Faro")),
    "the relation with underscores": lambda s, r: (
        says(s, r, "Bern"),
        says(s, r.replace(" ", "_"), "Faro"),
    ),
    "the subject in other case": lambda s, r: (says(s, r, "Bern"), says(s.upper(), r, "Faro")),
    "a fact after a colon": lambda s, r: (
        says(s, r, "Bern", fact="by the river"),
        says(s, r, "Faro"),
    ),
}


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    folder = tmp_path / ".remem"
    folder.mkdir()
    declared = ", ".join(f'"{relation}"' for relation in SINGLE)
    (folder / "config.toml").write_text(f'embedder = "none"\nsingle_valued = [{declared}]\n')
    with open_workspace(tmp_path) as workspace:
        yield workspace


def ended(memory: Workspace, pairs: list[Pair]) -> list[bool]:
    """Whether each old statement was ended by its new one."""
    old = [kept.id for pair in pairs for kept in memory.graph.ingest([pair[0]]).kept]
    superseded = [
        {id_ for kept in memory.graph.ingest([new]).kept for id_ in kept.superseded}
        for _, new in pairs
    ]
    live = {entry.id for entry in memory.entries(limit=None)}
    for id_, ids in zip(old, superseded, strict=True):
        assert (id_ in ids) == (id_ not in live)
    return [id_ in ids for id_, ids in zip(old, superseded, strict=True)]


def test_nothing_is_ended_by_a_statement_that_only_looks_like_a_change(memory: Workspace) -> None:
    pairs = {
        f"{trap}: {relation}": make(f"Ann{number}x{at}", relation)
        for number, (trap, make) in enumerate(TRAPS.items())
        for at, relation in enumerate((*SINGLE, *PLURAL))
    }
    assert len(pairs) > 200
    answers = zip(pairs, ended(memory, [*pairs.values()]), strict=True)
    assert [name for name, is_ended in answers if is_ended] == []


def test_a_relation_of_which_there_are_many_is_never_ended(memory: Workspace) -> None:
    pairs = [
        make(f"Ann{number}x{at}", relation)
        for number, make in enumerate(CHANGES.values())
        for at, relation in enumerate(PLURAL)
    ]
    assert len(pairs) > 45
    assert not any(ended(memory, pairs))


def test_a_declared_relation_is_ended_by_a_newer_one(memory: Workspace) -> None:
    pairs = [
        make(f"Ann{number}x{at}", relation)
        for number, make in enumerate(CHANGES.values())
        for at, relation in enumerate(SINGLE)
    ]
    assert len(pairs) > 40
    assert all(ended(memory, pairs))


def test_an_entry_that_states_more_is_not_ended(memory: Workspace) -> None:
    text = "[[Ann]] lives in [[Bern]] and [[Ann]] knows [[Bo]]"
    both = memory.store(category="fact", content=text).id
    (kept,) = memory.graph.ingest([says("Ann", "lives in", "Faro")]).kept
    assert kept.superseded == ()
    assert not memory.entry(both).archived


def test_other_objects_are_named_so_that_the_caller_can_end_them(memory: Workspace) -> None:
    (first,) = memory.graph.ingest([says("Ann", "uses", "Rust")]).kept
    (second,) = memory.graph.ingest([says("Ann", "uses", "Zig")]).kept
    assert second.also_stated == (first.id,)
    (third,) = memory.graph.ingest([says("Ann", "uses", "Nim", supersedes=[first.id])]).kept
    assert third.superseded == (first.id,)
    assert third.also_stated == (second.id,)


def test_details_of_a_relation_are_not_taken_for_another_object(memory: Workspace) -> None:
    memory.graph.ingest([says("Ann", "uses", "Rust", fact="at work")])
    (kept,) = memory.graph.ingest([says("Ann", "uses", "Rust")]).kept
    assert kept.also_stated == ()


@pytest.mark.parametrize("supersedes", [5, [5], {"id": "mem-1"}])
def test_ids_to_supersede_that_are_not_texts_are_refused(
    memory: Workspace, supersedes: object
) -> None:
    with pytest.raises(InvalidInput, match="supersedes of statement 1 is not a list of texts"):
        memory.graph.ingest([says("Ann", "uses", "Rust", supersedes=supersedes)])

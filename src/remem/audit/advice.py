"""What can only a person, or another command, do about it? Savings here are estimates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from remem.audit.findings import Findings, Plan, number_of
from remem.audit.load_rules import CUT, MEMORY_MD
from remem.audit.redundant import redundant
from remem.audit.result import Action, Recommendation, Risk
from remem.audit.sources import every_conversation

START_LIMIT: Final = 2_000
"""No start of a conversation costs more, whatever the memory holds."""


def advice(found: Findings) -> Iterator[Plan]:
    yield from _migrate(found)
    yield from _shorten(found)
    yield from _merge(found)
    if found.clashes:
        pairs = number_of(len(found.clashes), "pair")
        text = f"say which one stands in {pairs} of lines: see contradictions"
        yield _by_hand("resolve_contradictions", text, 0, 0, "low")
    if found.stale:
        tokens = sum(each.tokens for each in found.stale)
        number = sum(each.entries for each in found.stale)
        text = f"look through the entries that nobody has seen for a month ({number}): see stale"
        yield _by_hand("review_stale", text, tokens, 0, "medium")


def _migrate(found: Findings) -> Iterator[Plan]:
    memory = [each for each in found.gathered.spent if each.part == "memory_md"]
    saved = every_conversation(memory) - START_LIMIT
    if found.coverage and not found.coverage.migrated and saved > 0:
        left = number_of(len(found.coverage.missing), "line")
        text = (
            f"`remem migrate` makes entries of {left} of {MEMORY_MD} and leaves the file alone; "
            "after that a pointer can take their place"
        )
        yield _by_hand("migrate", text, saved, saved, "low")


def _shorten(found: Findings) -> Iterator[Plan]:
    for each in found.gathered.spent:
        if each.when == CUT:
            name = each.source.partition(" ")[0]
            text = f"shorten {name}: a host with limits cuts its middle away unread"
            yield _by_hand("shorten", text, each.tokens, 0, "low")


def _merge(found: Findings) -> Iterator[Plan]:
    """What every conversation pays for twice, and remem does not dare to drop."""
    ready = {id(each) for each in redundant(found.pairs, found.gathered)}
    pairs = [
        each
        for each in found.pairs
        if each.a.always and each.b.always and not {id(each.a), id(each.b)} & ready
    ]
    if pairs:
        tokens = sum(min(found.count(each.a.text), found.count(each.b.text)) for each in pairs)
        number = number_of(len(pairs), "pair")
        text = f"merge by hand what is said twice in {number} of lines: see duplicates"
        yield _by_hand("merge_by_hand", text, tokens, tokens, "medium")


def _by_hand(action: Action, text: str, saving: int, at_start: int, risk: Risk) -> Plan:
    return Plan(Recommendation(action, text, saving, risk, 0, False, at_start))

"""Checks of facts and their files: rewritten or removed facts, unread changes, malformed files.

A fact should never be rewritten or removed, only superseded. So earlier facts (from remem's log, a
backup or git) are compared with the current files, and a missing one is restored as superseded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any, Final

from remem.admin.doctor.findings import REPAIR, Finding
from remem.errors import counted, listed
from remem.files.fact_history import SeenFact
from remem.files.facts import NAMES_FILE, FactFile, KnownFacts, facts_in
from remem.learn.facts.writer import FactWriter
from remem.model.fact import SUPERSEDED, Fact
from remem.model.fact_json import next_id, with_fact
from remem.text.similarity import folded_hash, relation
from remem.text.words import fold, words

_MAX_FILES: Final = 4
_MANUAL_REPAIR: Final = (
    "repair it by hand or restore it from a backup; remem does not change it until then"
)
_MIN_SPELLING_RATIO: Final = 0.75
_MAX_FACTS: Final = 3


def stale_search_findings(scope: str, unread: Sequence[str]) -> Iterator[Finding]:
    """Yield one finding about files that changed over a day ago and that search has not read."""
    if not unread:
        return
    files = counted(len(unread), "changed file has", "changed files have")
    yield Finding(
        scope,
        "search",
        "notice",
        f"{files} not been read by search for over a day: {listed(unread, _MAX_FILES)}",
        "a search that does not check the files first misses their latest content",
        f"{REPAIR} or the next search reads them; `remem maintain --install` does so daily",
    )


def unreadable_findings(known_facts: KnownFacts) -> Iterator[Finding]:
    """Yield a finding for each fact file, and for the names file, that cannot be read."""
    yield from (_unreadable_file(file) for file in known_facts.files if file.problem)
    if known_facts.names_problem:
        meaning = "entities are named after their folders; aliases and merges are unknown"
        yield Finding(
            "main", NAMES_FILE, "damage", known_facts.names_problem, meaning, _MANUAL_REPAIR
        )


def _unreadable_file(file: FactFile) -> Finding:
    problem = file.problem or ""
    if file.refused:
        meaning, repair = "its facts are ignored", "replace the link with a copy of the linked file"
        return Finding("main", file.path, "notice", problem, meaning, repair)
    meaning = "facts after that position are missing from answers, search and summaries"
    return Finding("main", file.path, "damage", problem, meaning, _MANUAL_REPAIR)


@dataclass(frozen=True, slots=True)
class LostFact:
    """A fact that is no longer in any file; `successor` is the fact that has its id now, if any."""

    seen: SeenFact
    successor: Fact | None

    @property
    def description(self) -> str:
        """A clause that says what happened to the fact."""
        change = "rewritten" if self.successor else "removed"
        return f"{self.seen.id} in {self.seen.path} was {change}"


def lost_facts(
    seen: Iterable[SeenFact],
    known_facts: KnownFacts,
    is_erased: Callable[[int], bool] = lambda _: False,
) -> list[LostFact]:
    """Return the facts that were seen before and are no longer in any file.

    Facts of malformed files are left out, and so are facts that were extended, corrected in
    spelling, or erased by the owner. `is_erased` is called with the hash of a fact.
    """
    present = {fold(fact.fact) for fact in known_facts.facts}
    broken = {file.path for file in known_facts.files if file.problem}
    by_id = {(fact.path, fact.id): fact for fact in known_facts.facts}
    lost: dict[tuple[str, str, str], LostFact] = {}
    for seen_fact in seen:
        if fold(seen_fact.fact) in present or seen_fact.path in broken:
            continue
        successor = by_id.get((seen_fact.path, seen_fact.id))
        if successor is not None and _same_fact(seen_fact.fact, successor.fact):
            continue
        previous = lost.get(seen_fact.key)
        if previous is not None and (previous.seen.superseded_by or not seen_fact.superseded_by):
            continue
        if not (known_facts.erased(seen_fact.fact) or is_erased(folded_hash(seen_fact.fact))):
            lost[seen_fact.key] = LostFact(seen_fact, successor)
    return list(lost.values())


def rewritten_findings(lost: Sequence[LostFact]) -> Iterator[Finding]:
    """Yield one finding about all lost facts, if there are any."""
    if not lost:
        return
    facts = counted(len(lost), "earlier fact is", "earlier facts are")
    yield Finding(
        "main",
        "facts",
        "damage",
        f"{facts} missing: {listed([fact.description for fact in lost], _MAX_FACTS)}",
        "facts should be superseded, not rewritten; otherwise their history is lost",
        f"{REPAIR} restores the earlier facts as superseded and keeps the current ones",
    )


def restore_facts(writer: FactWriter, lost: Sequence[LostFact]) -> int:
    """Append the lost facts to their files as superseded, and return how many were added.

    A fact that was removed gets the same id again, because other facts may refer to it.
    """
    with writer.exclusive():
        lost_ids = {fact.seen.id for fact in lost}
        return sum(_restore(writer, fact, lost_ids) for fact in lost)


def _restore(writer: FactWriter, lost_fact: LostFact, lost_ids: Set[str]) -> bool:
    path, used_ids = lost_fact.seen.path, writer.read().ids | lost_ids
    added: list[bool] = []

    def edit(text: str) -> str:
        """Add the fact; if a person saves the file meanwhile, this runs again on their text."""
        file = facts_in(text, path)
        facts = file.facts
        added.append(fold(lost_fact.seen.fact) not in {fold(fact.fact) for fact in facts})
        if not added[-1]:
            return text
        id_before = lost_fact.seen.id
        reusable = lost_fact.successor is None and id_before and id_before not in file.ids
        id_ = (
            id_before if reusable else next_id(file.ids, PurePosixPath(path).parent.name, used_ids)
        )
        return with_fact(text, _fields(lost_fact, id_))

    writer.change(path, edit)
    return added[-1]


def _fields(lost_fact: LostFact, id_: str) -> dict[str, Any]:
    fact = lost_fact.seen
    fields: dict[str, Any] = {"id": id_, "fact": fact.fact}
    for name in ("category", "timestamp", "source"):
        if value := getattr(fact, name):
            fields[name] = value
    fields["status"] = SUPERSEDED
    successor = lost_fact.successor
    if successor_id := successor.id if successor is not None else fact.superseded_by:
        fields["supersededBy"] = successor_id
    if fact.origin:
        fields["origin"] = fact.origin
    return fields


def _same_fact(old: str, new: str) -> bool:
    """Return whether a fact was only extended, or corrected in spelling."""
    if relation(new, old) in ("same", "extends"):
        return True
    before, after = words(old), words(new)
    if len(before) != len(after):
        return False
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if len(changed) > max(1, len(before) // 10):
        return False
    return all(_is_spelling_change(a, b) for a, b in changed)


def _is_spelling_change(old: str, new: str) -> bool:
    """Return whether two words differ only in spelling; different numbers never do."""
    plain = old.isalpha() and new.isalpha() and min(len(old), len(new)) >= 4
    return plain and SequenceMatcher(None, old, new).ratio() >= _MIN_SPELLING_RATIO

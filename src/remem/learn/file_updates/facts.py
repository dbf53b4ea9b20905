"""Recognise lessons that are facts about an entity, and record them.

A statement is a fact if it begins with the name of a known entity: "Mara moved to the harbour"
is a fact about Mara. "Mara is our designer" introduces her. Articles before the name are ignored.
All other statements become entries. Facts are stored only in the main scope.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Final

from remem.entries.pending_facts import FactDraft
from remem.files.facts import FactFiles, KnownFacts, facts_in, file_for
from remem.files.layout import Layout
from remem.learn.facts.recording import record
from remem.learn.facts.writer import FactWriter
from remem.learn.file_updates.changes import RecordFact, RetractFact
from remem.learn.file_updates.routing import KINDS, TargetScope
from remem.model.contradictions import find_conflicts
from remem.model.entity import Entity, key_of, slug_of
from remem.model.entry import Origin, conversation_source
from remem.model.fact import Fact
from remem.model.fact_json import with_ended_fact
from remem.model.lesson import Lesson
from remem.text.words import fold

_MIN_NAME_LENGTH: Final = 2
_DEFAULT_ORIGIN: Final = conversation_source("main")
"""The origin if the host names no conversation; recorded facts are recognised by their origin."""
_INTRODUCTION: Final = re.compile(
    r"(?P<name>[A-ZÀ-ÖØ-Þ][\w'’-]+(?: [A-ZÀ-ÖØ-Þ][\w'’-]+){0,2}) (?:is|ist|est|es) "
    r"(?:my|our|mein|meine|unsere?|mon|ma|notre|mi|nuestr[oa])\b"
    r"|(?P<zh>[\u4e00-\u9fff]{2,4})是我们?的"
    r"|(?P<ru>[А-ЯЁ][а-яё]+(?: [А-ЯЁ][а-яё]+)?) [—–-] (?:мой|моя|наш|наша)\b"
)
_ARTICLE: Final = re.compile(r"(?:the|der|die|das|le|la|les|el|los|las)\s+(?=\S)|l['’](?=\w)")
_PRONOUNS: Final = frozenset(
    "he she it they this that there what who here er sie es das il elle".split()
)


class Subjects:
    """Finds the entities that statements are about; the fact files are read on first use."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def change_for(self, lesson: Lesson, target: TargetScope) -> RecordFact | None:
        """Return the change that records a lesson as a fact; None if the lesson is not a fact."""
        category = KINDS[lesson.kind].fact_category
        if category is None or target.scope.kind != "main" or lesson.trust == "untrusted":
            return None
        entity = self.subject_of(lesson.text)
        if entity is None and (entity := _introduced_person(lesson)):
            self._names.append((key_of(entity.name), entity))  # later statements may be about them
        if entity is None:
            return None
        return RecordFact(
            id=lesson.id,
            file=file_for(entity) if entity.id else "",
            text=lesson.text,
            entity=entity.name,
            kind=entity.kind,
            category=category,
            origin=_citation(lesson.origin) or _DEFAULT_ORIGIN,
            day=target.day,
        )

    def is_recorded_or_erased(self, change: RecordFact) -> bool:
        """Return whether the fact is already in its file, or the owner has erased it."""
        if self.known.erased(change.text):
            return True
        in_file = (fact for fact in self.known.facts if fact.active and fact.path == change.file)
        return any(fold(fact.fact) == fold(change.text) for fact in in_file)

    def contradicted_by(self, change: RecordFact) -> tuple[str, ...]:
        """Return the active facts that contradict the planned fact."""
        entity = self.subject_of(change.text)
        active = [fact for fact in self.known.facts_of(entity) if fact.active] if entity else []
        conflicts = find_conflicts(Fact("", change.text, timestamp=change.day), active)
        return tuple(f"{conflict.old.id}: {conflict.old.fact}" for conflict in conflicts)

    def subject_of(self, text: str) -> Entity | None:
        """Return the known entity with the longest name that the text begins with."""
        beginning = _ARTICLE.sub("", key_of(text))
        for name, entity in self._names:
            rest = beginning[len(name) :]
            if beginning.startswith(name) and not rest[:1].isalnum():
                return entity
        return None

    @cached_property
    def known(self) -> KnownFacts:
        """The entities and facts that the files contained on first use."""
        return FactFiles(self._layout)()

    @cached_property
    def _names(self) -> list[tuple[str, Entity]]:
        entities = self.known.entities.values()
        keys = Counter(
            key for entity in entities for key in set(map(key_of, (entity.name, *entity.aliases)))
        )
        pairs = [
            (
                _ARTICLE.sub("", key_of(name)),
                entity if keys[key_of(name)] == 1 else self.known.root(entity.id),
            )
            for entity in entities
            for name in (entity.name, *entity.aliases)
        ]
        long_pairs = [pair for pair in pairs if len(pair[0]) >= _MIN_NAME_LENGTH]
        return sorted(long_pairs, key=lambda pair: -len(pair[0]))


def record_change(layout: Layout, change: RecordFact) -> None:
    """Record a fact that `Subjects.change_for` planned.

    It is not recorded if it was recorded before, even if it was superseded or erased since.
    """
    read = FactFiles(layout)
    known_facts = read()
    if known_facts.erased(change.text):
        return
    for fact in known_facts.facts:
        if fact.origin == change.origin and fold(fact.fact) == fold(change.text):
            return
    draft = FactDraft(
        entity=change.entity,
        fact=change.text,
        category=change.category,
        timestamp=change.day,
        origin=change.origin or None,
        kind=change.kind,
    )
    midnight = f"{change.day}T00:00:00Z"
    record(FactWriter(layout, read, lambda: midnight, None), draft)


def retract_change(layout: Layout, change: RetractFact) -> None:
    """End the fact that `record_change` wrote, if its text is unchanged.

    It remains in its file as a fact that is superseded without a successor.
    """

    def edit(text: str) -> str:
        for fact in facts_in(text, change.file).facts:
            if was_written_by(fact, change) and fact.active:
                return with_ended_fact(text, fact.number)
        return text

    read = FactFiles(layout)
    writer = FactWriter(layout, read, lambda: "", None)
    with writer.exclusive():
        if any(was_written_by(fact, change) for fact in read().facts):
            writer.change(change.file, edit)


def was_written_by(fact: Fact, change: RecordFact | RetractFact) -> bool:
    """Return whether a fact was written by a change."""
    same_words = fold(fact.fact) == fold(change.text)
    return same_words and fact.origin == change.origin and fact.path == change.file


def _introduced_person(lesson: Lesson) -> Entity | None:
    """Return the person whom the statement introduces, if any."""
    match = _INTRODUCTION.match(lesson.text) if lesson.kind == "person" else None
    name = match and (match["name"] or match["zh"] or match["ru"])
    if not name or fold(name) in _PRONOUNS:
        return None
    return Entity(slug_of(name), name, "person")


def _citation(origin: Origin | None) -> str:
    if origin is None:
        return ""
    return origin.source if origin.position is None else f"{origin.source}#L{origin.position}"

"""Which statements are facts of somebody or something? Those whose first words name it.

"Mara moved to the harbour" is a fact of Mara, if she is known; "Mara is our designer" makes her
known. An article before the name is no part of it. What names nobody at its beginning is an
entry. Facts belong to main.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from remem.entries.pending_facts import FactDraft
from remem.files.facts import FactFiles, Known, facts_in, file_for
from remem.files.layout import Layout
from remem.learn.facts.entities import Knowing
from remem.learn.facts.recording import record
from remem.learn.file_updates.changes import Change
from remem.learn.file_updates.routing import Where
from remem.model.entity import Entity, key_of, slug_of
from remem.model.entry import Origin, of_conversation
from remem.model.fact import Fact
from remem.model.fact_conflicts import opposed
from remem.model.fact_json import without_standing
from remem.model.lesson import Lesson, LessonKind
from remem.text.words import fold

_CATEGORY_OF: Final[dict[LessonKind, str]] = {
    "person": "relationship",
    "preference": "preference",
    "decision": "decision",
    "fact": "status",
    "context": "status",
    "insight": "status",
}
_LEAST_LETTERS: Final = 2
_UNNAMED: Final = of_conversation("main")
"""Where an agent's words come from if its host names no conversation. A fact without any origin
could not be told from one that was never recorded."""
_INTRODUCED: Final = re.compile(
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
    """Whom statements are about; the files of facts are read once, when the first one asks."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def change_for(self, lesson: Lesson, where: Where) -> Change | None:
        """What has to be done so that a lesson is a fact; None if it is none."""
        category = _CATEGORY_OF.get(lesson.kind)
        if category is None or where.scope.kind != "main" or lesson.trust == "untrusted":
            return None
        about = self.subject_of(lesson.text)
        if about is None and (about := _introduced(lesson)):
            self._names.append((key_of(about.name), about))  # the next statement may be of it
        if about is None:
            return None
        return Change(
            id=lesson.id,
            file=file_for(about) if about.id else "",
            do="fact",
            text=lesson.text,
            title=about.name,
            section=category,
            day=where.day,
            trigger=_cited(lesson.origin) or _UNNAMED,
            tier=about.kind,
            lesson=lesson.id,
        )

    def stands(self, change: Change) -> bool:
        """Whether the fact stands in its file already, or must not: the owner has erased it."""
        if self.known.erased(change.text):
            return True
        mine = (fact for fact in self.known.facts if fact.active and fact.path == change.file)
        return any(fold(fact.fact) == fold(change.text) for fact in mine)

    def contradicted_by(self, change: Change) -> tuple[str, ...]:
        """The facts that stand and cannot hold beside the one that is planned."""
        about = self.subject_of(change.text)
        standing = [fact for fact in self.known.of(about) if fact.active] if about else []
        found = opposed(Fact("", change.text, timestamp=change.day), standing)
        return tuple(f"{each.old.id}: {each.old.fact}" for each in found)

    def subject_of(self, text: str) -> Entity | None:
        """The known entity with the longest name that the text begins with."""
        beginning = _ARTICLE.sub("", key_of(text))
        for name, entity in self._names:
            rest = beginning[len(name) :]
            if beginning.startswith(name) and not rest[:1].isalnum():
                return entity
        return None

    @cached_property
    def known(self) -> Known:
        return FactFiles(self._layout)()

    @cached_property
    def _names(self) -> list[tuple[str, Entity]]:
        pairs = [
            (_ARTICLE.sub("", key_of(name)), self.known.root(entity.id))
            for entity in self.known.entities.values()
            for name in (entity.name, *entity.aliases)
        ]
        named = [pair for pair in pairs if len(pair[0]) >= _LEAST_LETTERS]
        return sorted(named, key=lambda pair: -len(pair[0]))


def record_change(layout: Layout, change: Change) -> None:
    """Do what `change_for` planned; a fact that was recorded, and perhaps superseded or erased
    since, is not recorded again."""
    read = FactFiles(layout)
    known = read()
    if known.erased(change.text):
        return
    for fact in known.facts:
        if fact.origin == change.trigger and fold(fact.fact) == fold(change.text):
            return
    draft = FactDraft(
        entity=change.title,
        fact=change.text,
        category=change.section,
        timestamp=change.day,
        origin=change.trigger or None,
        kind=change.tier,
    )
    moment = f"{change.day}T00:00:00Z"
    record(Knowing(layout, read, lambda: moment, None, lambda _text: None), draft)


def retract_change(layout: Layout, change: Change) -> None:
    """End the fact that `record_change` has written, if it still stands as it was written. It
    stays in its file, as one that nothing took the place of: what was once said is not unsaid."""

    def edit(text: str) -> str:
        for fact in facts_in(text, change.file).facts:
            if is_of(change, fact) and fact.active:
                return without_standing(text, fact.number)
        return text

    read = FactFiles(layout)
    job = Knowing(layout, read, lambda: "", None, lambda _text: None)
    with job.alone():
        if any(is_of(change, fact) for fact in read().facts):
            job.change(change.file, edit)


def is_of(change: Change, fact: Fact) -> bool:
    """Whether a fact is the one that a change has written."""
    same_words = fold(fact.fact) == fold(change.text)
    return same_words and fact.origin == change.trigger and fact.path == change.file


def _introduced(lesson: Lesson) -> Entity | None:
    """Somebody whom the statement itself makes known."""
    found = _INTRODUCED.match(lesson.text) if lesson.kind == "person" else None
    name = found and (found["name"] or found["zh"] or found["ru"])
    if not name or fold(name) in _PRONOUNS:
        return None
    return Entity(slug_of(name), name, "person")


def _cited(origin: Origin | None) -> str:
    if origin is None:
        return ""
    return origin.source if origin.position is None else f"{origin.source}#L{origin.position}"

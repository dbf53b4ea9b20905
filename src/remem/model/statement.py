"""Do the words of a lesson stand where it says they do? What does not is dropped, and counted.

Differences of case, white space and the shape of quotation marks are no differences of words. The
lesson then has the spelling of the place, never that of whoever reported it.

What does a text state? Single statements with their lines, and why each was judged so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.model.authorship.pieces import Authorship
from remem.model.authorship.turn import authorship
from remem.model.entry import Category, Priority
from remem.model.lesson import Learned, Lesson, Said
from remem.text.line_status import Standing


@dataclass(frozen=True, slots=True)
class Document:
    """A memory file as an extractor reads it.

    Every content line of a `curated` file counts; of others only what lasts. Nothing in it
    was said after `today`.
    """

    path: str
    text: str
    today: str
    curated: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a text says, readable on its own.

    `lines` are the lines that it holds, the first one first. `noise` is the reason why it
    does not last; None if it does. `day` is when it was said, as far as the text tells.
    `topic` is what the headings add to the words of the lines. `why` names the rule that
    decided on the category.
    """

    content: str
    lines: tuple[int, ...]
    category: Category
    why: str
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    context: str | None = None
    topic: str | None = None
    day: str | None = None
    standing: Standing = "current"
    noise: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All statements of a document, and why the other lines are in none of them."""

    statements: tuple[Statement, ...]
    left: Mapping[int, str]


PATH: Final = " › "
"""What stands between the headings of a path."""


def headings_in(context: str | None) -> tuple[str, ...]:
    """The headings above a statement, from the context of its entry: `MEMORY.md › A › B`."""
    return tuple((context or "").split("\n", 1)[0].split(PATH)[1:])


NOT_THERE: Final = "its words do not stand where it says"
NOT_THEIRS: Final = "its words are part of pasted text"
_ALIKE: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"'})
_LONGEST: Final = 4_000
_LOOKED_AT: Final = 20_000
"""So much of a turn is looked through for words in another spelling; nobody quotes pages."""


def spelled_in(text: str, words: str) -> str | None:
    """The words as the text has them; None if it does not."""
    if not words.strip() or len(words) > _LONGEST:
        return None
    if words in text:
        return words
    folded, places = _folded(text[:_LOOKED_AT])
    sought, _ = _folded(words.strip())
    at = folded.find(sought)
    return None if at < 0 else text[places[at] : places[at + len(sought) - 1] + 1]


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without differences that are none, and where each of its characters stood."""
    kept: list[str] = []
    places: list[int] = []
    for at, each in enumerate(text.translate(_ALIKE)):
        if each.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
                places.append(at)
            continue
        lower = each.lower()
        kept.append(lower if len(lower) == 1 else each)
        places.append(at)
    return "".join(kept), places


def grounded(learned: Learned, said: Sequence[Said]) -> Learned:
    """What was learned, as far as its words were said at its place, by the one who speaks there.

    Words that are found only in a doubtful piece of a turn are doubtful; what is found only in
    somebody else's text is dropped, whichever extractor reported it.
    """
    passed = Counter(learned.passed)
    turns = {
        (turn.source, turn.position): (turn, divided)
        for turn, divided in zip(said, authorship(said), strict=True)
    }
    kept: list[Lesson] = []
    hints: list[Lesson] = []
    doubtful: list[Lesson] = []
    for lessons, plainly in (
        (learned.lessons, kept),
        (learned.hints, hints),
        (learned.doubtful, kept),
    ):
        for lesson in lessons:
            found = _placed(lesson, turns)
            if isinstance(found, str):
                passed[found] += 1
            elif found.doubt is None:
                plainly.append(found)
            elif plainly is kept:
                doubtful.append(found)
    plain = tuple(lesson for lesson in learned.plain if _placed(lesson, turns) == lesson)
    return replace(
        learned,
        lessons=tuple(kept),
        hints=tuple(hints),
        plain=plain,
        doubtful=tuple(doubtful),
        passed=dict(+passed),
    )


def _placed(
    lesson: Lesson, turns: Mapping[tuple[str, int], tuple[Said, Authorship]]
) -> Lesson | str:
    """The lesson in the spelling of its place, with its doubt if there is one; or why it falls."""
    if lesson.origin is None or lesson.origin.position is None:
        return NOT_THERE
    turn, divided = turns.get((lesson.origin.source, lesson.origin.position), (None, None))
    if turn is None or divided is None:
        return NOT_THERE
    for piece in sorted(divided.pieces, key=lambda piece: piece.doubt is not None):
        if (spelling := spelled_in(piece.text, lesson.text)) is not None:
            there = spelled_in(turn.text, lesson.text) or spelling
            return replace(lesson, text=there, doubt=piece.doubt)
    spelling = spelled_in(turn.text, lesson.text)
    if spelling is None:
        return NOT_THERE
    if spelled_in(" ".join(divided.own), lesson.text) is not None:  # it runs over two paragraphs
        return replace(lesson, text=spelling, doubt=None)
    return NOT_THEIRS

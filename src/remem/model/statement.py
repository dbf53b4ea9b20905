"""Statements extracted from documents, and the check that lessons quote their source.

A lesson is kept only if its words occur at the position in the conversation that it names. Case,
white space and the style of quotation marks do not matter; the lesson gets the spelling of its
source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from remem.fast_dataclass import dataclass
from remem.model.entry import Category, Priority
from remem.model.lesson import LearnedLessons, Lesson, Utterance
from remem.text.line_status import LineStatus

if TYPE_CHECKING:
    from remem.model.authorship.evidence import Evidence
    from remem.model.authorship.pieces import Authorship

NOT_IN_SOURCE: Final = "its words do not occur in the source that it names"
NOT_THEIRS: Final = "its words are part of pasted text"
_PLAIN_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"'})
_MAX_LENGTH: Final = 4_000
_MAX_SEARCHED: Final = 20_000
"""Only this many characters of a turn are searched for other spellings."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A memory file, as input for an extractor.

    An extractor takes every line with content from a `curated` file, the lines that are likely to
    last from a `page`, which somebody keeps on one topic, and only those that are certain to last
    from any other file. Dates after `today` are ignored.
    """

    path: str
    text: str
    today: str
    curated: bool = False
    page: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a statement in a file.

    `headings` are the headings above it, the highest first; `labels` are the lines that introduce
    it, such as the bullet that it is nested in. `position` is 0 at the top of the file and 1 at its
    end. `alike` is the number of lines in the file that have the same label, and `days` the number
    of days on which notes repeat the statement.
    """

    path: str = ""
    headings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    position: float = 0.0
    alike: int = 1
    days: int = 1


@dataclass(frozen=True, slots=True)
class ExtractedStatement:
    """One statement of a text, readable on its own.

    `lines` are its line numbers in order. `content` begins with `label`, the words of parent
    bullets and introductions that say what the line is about. The headings are in `context`, as
    `file › heading › heading`. `why` is the reason for the category. `day` is its date, if the text
    gives one. `status` says whether the line is current, done or superseded. `noise` is the reason
    why it will not last, or None. `likely` says that a careful reader should see the statement,
    even if it may not last.
    """

    content: str
    lines: tuple[int, ...]
    category: Category
    why: str
    priority: Priority = "medium"
    tags: tuple[str, ...] = ()
    context: str | None = None
    label: str | None = None
    day: str | None = None
    status: LineStatus = "current"
    noise: str | None = None
    likely: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """The statements in a document, and for each skipped line, by its number, the reason."""

    statements: tuple[ExtractedStatement, ...]
    skipped: Mapping[int, str]


def find_spelling(text: str, quote: str) -> str | None:
    """Return a quote as the text spells it; None if it does not occur in the text."""
    if not quote.strip() or len(quote) > _MAX_LENGTH:
        return None
    if quote in text:
        return quote
    folded, positions = _fold_with_positions(text[:_MAX_SEARCHED])
    folded_quote, _ = _fold_with_positions(quote.strip())
    at = folded.find(folded_quote)
    return None if at < 0 else text[positions[at] : positions[at + len(folded_quote) - 1] + 1]


def _fold_with_positions(text: str) -> tuple[str, list[int]]:
    """Return the normalised text, and the original position of each of its characters."""
    folded: list[str] = []
    positions: list[int] = []
    for at, character in enumerate(text.translate(_PLAIN_QUOTES)):
        if character.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                positions.append(at)
            continue
        lower = character.lower()
        folded.append(lower if len(lower) == 1 else character)
        positions.append(at)
    return "".join(folded), positions


def keep_grounded(extracted: LearnedLessons, conversation: Sequence[Utterance]) -> LearnedLessons:
    """Keep only lessons whose words occur in their turn and were written by its speaker.

    A lesson that occurs only in a doubtful piece of its turn becomes doubtful. One that occurs only
    in somebody else's text is dropped and counted, whichever extractor found it.
    """
    from remem.model.authorship.turn import authorship  # lazy: statements are used without it

    skipped = Counter(extracted.skipped)
    turns = {
        (turn.source, turn.position): (turn, divided)
        for turn, divided in zip(conversation, authorship(conversation), strict=True)
    }
    grounded: list[Lesson] = []
    hints: list[Lesson] = []
    doubtful: list[Lesson] = []
    for lessons, accepted in (
        (extracted.lessons, grounded),
        (extracted.hints, hints),
        (extracted.doubtful, grounded),
    ):
        for lesson in lessons:
            located = _locate(lesson, turns)
            if isinstance(located, str):
                skipped[located] += 1
            elif located.doubt is None:
                accepted.append(located)
            elif accepted is grounded:
                doubtful.append(located)
    likely = [lesson for lesson in extracted.likely if _locate(lesson, turns) == lesson]
    plain = [lesson for lesson in extracted.plain if _locate(lesson, turns) == lesson]
    doubts = _Doubts(turns, [*grounded, *doubtful, *hints, *likely])
    judged = [doubts.judge(lesson) for lesson in grounded]
    return replace(
        extracted,
        lessons=tuple(lesson for lesson in judged if lesson.doubt is None),
        hints=tuple(hint for hint in hints if doubts.judge(hint).doubt is None),
        likely=tuple(lesson for lesson in likely if doubts.judge(lesson).doubt is None),
        plain=tuple(lesson for lesson in plain if doubts.judge(lesson).doubt is None),
        doubtful=(*doubtful, *(lesson for lesson in judged if lesson.doubt is not None)),
        skipped=dict(+skipped),
    )


_Turns: TypeAlias = "Mapping[tuple[str, int], tuple[Utterance, Authorship]]"


class _Doubts:
    """Judges by the other sentences of its turn whether a lesson is the owner's own statement.

    Turns of a conversation with other people are not judged.
    """

    def __init__(self, turns: _Turns, statements: Sequence[Lesson]) -> None:
        from remem.model.authorship.evidence import Evidence

        self._evidence: dict[tuple[str, int], Evidence] = {}
        texts: dict[tuple[str, int], list[str]] = {}
        for lesson in statements:
            texts.setdefault(_position(lesson), []).append(lesson.text)
        for position, (turn, divided) in turns.items():
            if turn.role == "user" and not turn.shared:
                text = turn.multiline or turn.text
                self._evidence[position] = Evidence(text, divided, texts.get(position, ()))

    def judge(self, lesson: Lesson) -> Lesson:
        """Return a lesson with the doubt about it, if any."""
        evidence = self._evidence.get(_position(lesson))
        return replace(lesson, doubt=evidence.doubt(lesson.text)) if evidence else lesson


def _position(lesson: Lesson) -> tuple[str, int]:
    if lesson.origin is None or lesson.origin.position is None:
        return "", 0
    return lesson.origin.source, lesson.origin.position


def _locate(
    lesson: Lesson, turns: Mapping[tuple[str, int], tuple[Utterance, Authorship]]
) -> Lesson | str:
    """Return a lesson in the spelling of its source, or the reason to drop it.

    The lesson has the doubt about the piece of the turn that it is in.
    """
    if lesson.origin is None or lesson.origin.position is None:
        return NOT_IN_SOURCE
    turn, divided = turns.get((lesson.origin.source, lesson.origin.position), (None, None))
    if turn is None or divided is None:
        return NOT_IN_SOURCE
    for piece in sorted(divided.pieces, key=lambda piece: piece.doubt is not None):
        if (spelling := find_spelling(piece.text, lesson.text)) is not None:
            in_turn = find_spelling(turn.text, lesson.text) or spelling
            return replace(lesson, text=in_turn, doubt=piece.doubt)
    spelling = find_spelling(turn.text, lesson.text)
    if spelling is None:
        return NOT_IN_SOURCE
    if find_spelling(" ".join(divided.own), lesson.text) is not None:  # spans two paragraphs
        return replace(lesson, text=spelling, doubt=None)
    return NOT_THEIRS

"""Does recall find what search finds? Asked of the workspace itself.

Where the lines of a question are among search's first six results, they have to be in recall's
answer: as a passage, as an entry that comes from them, or word for word in an entry.

What can be asked about these files? Questions made from their own lines, by a fixed rule.

A line is a bullet, a paragraph or a row of a table that stands nowhere else and says at least
three telling words. Its question is its four rarest words, in their order: those that the
fewest lines of the workspace hold, the earlier first among equals. Up to fifty lines are
taken, half of them from MEMORY.md and USER.md if there are as many, evenly spread. The same
files give the same questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Entry
from remem.search.answer.answer import Answer, Recalled
from remem.search.passages.snippet import Found
from remem.setup.validate.result import Check, judged
from remem.text.markdown import outline
from remem.text.secrets.mask import redact
from remem.text.words import STOP_WORDS, fold, has_grams, words

MOST: Final = 50
_RAREST: Final = 4
_FEWEST: Final = 3
_RUN: Final = 6
"""So many characters of a script without spaces make a word of a question."""
_NO_WORDS: Final = re.compile(r"<!--[^<]*?-->|https?://\S+|!?\[\[|\]\]|[`*~|]", re.DOTALL)
_WORD: Final = re.compile(r"\w+(?:[.\-'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Text:
    """One memory file; `curated` are those that a person keeps in order."""

    path: str
    text: str
    curated: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the lines of a file that answer it."""

    text: str
    path: str
    start: int
    end: int
    line: str


@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    start: int
    end: int
    text: str
    words: tuple[str, ...]
    curated: bool


def questions(texts: Iterable[Text], most: int = MOST) -> list[Question]:
    """The questions that the files yield, at most so many."""
    lines = [line for text in texts for line in _lines(text)]
    known = Counter(fold(line.text) for line in lines)
    spread = Counter(word for line in lines for word in {fold(word) for word in line.words})
    usable = [line for line in lines if known[fold(line.text)] == 1 and _says_enough(line)]
    curated = [line for line in usable if line.curated]
    notes = [line for line in usable if not line.curated]
    share = min(len(curated), max(most // 2, most - len(notes)))
    chosen = [*_spread(curated, share), *_spread(notes, most - share)]
    return [_question(line, spread) for line in chosen]


def _question(line: _Line, spread: Counter[str]) -> Question:
    words = list(dict.fromkeys(line.words))
    rarest = sorted(words, key=lambda word: spread[fold(word)])[:_RAREST]
    asked = " ".join(word for word in words if word in rarest)
    return Question(asked, line.path, line.start, line.end, _NO_WORDS.sub(" ", line.text))


def _lines(text: Text) -> list[_Line]:
    return [
        _Line(text.path, block.start, block.end, block.text, _words(block.text), text.curated)
        for block in outline(text.text)
        if block.kind in ("bullet", "text", "row")
    ]


def _words(text: str) -> tuple[str, ...]:
    found = [word for word in _WORD.findall(_NO_WORDS.sub(" ", text)) if _tells(word)]
    return tuple(word[:_RUN] if has_grams(word) else word for word in found)


def _tells(word: str) -> bool:
    if has_grams(word):
        return len(word) > 1
    return len(word) > 2 and word.casefold() not in STOP_WORDS and len(word) < 40


def _says_enough(line: _Line) -> bool:
    """A secret would be masked in an entry, and could not be found again."""
    enough = len(set(line.words)) >= _FEWEST or any(
        has_grams(word) and len(word) == _RUN for word in line.words
    )
    return enough and not redact(line.text).kinds


def _spread(lines: Sequence[_Line], count: int) -> list[_Line]:
    if count >= len(lines):
        return list(lines)
    return [lines[i * len(lines) // count] for i in range(count)]


AS_SEARCH: Final = "Recall finds what search finds"
_FIRST: Final = 6
_GOAL: Final = 0.95
_LEAST: Final = 0.90
_PASSAGE: Final = re.compile(r"(?P<path>.+)#L(?P<start>[0-9]+)(?:-L(?P<end>[0-9]+))?")

Search = Callable[[str], Found]
Recall = Callable[[str], Answer]
Entries = Callable[[Sequence[str]], Sequence[Entry]]
Progress = Callable[[str], None]


def recall_as_search(
    asked: Sequence[Question], search: Search, recall: Recall, entries: Entries, progress: Progress
) -> Check:
    """Check 2; below 90 % it fails, the goal is 95 %."""
    if not asked:
        return judged(2, AS_SEARCH, "no line of a memory file can be asked for yet", [])
    found: list[Question] = []
    missed: list[Question] = []
    for number, question in enumerate(asked, 1):
        progress(f"asking {number} of {len(asked)}")
        answer = search(question.text)
        if answer.unavailable:
            return judged(
                2, AS_SEARCH, "search is unavailable", [answer.error or "without a reason"]
            )
        if not _is_found(answer, question):
            continue
        found.append(question)
        if not _holds(recall(question.text), question, entries):
            missed.append(question)
    return _verdict(len(asked), found, missed)


def _verdict(asked: int, found: Sequence[Question], missed: Sequence[Question]) -> Check:
    if not found:
        reason = f"search finds none of the {asked} lines that were asked for"
        return judged(2, AS_SEARCH, f"0 of {asked} questions", [f"{reason}; run `remem refresh`"])
    share = 1 - len(missed) / len(found)
    held = f"{len(found) - len(missed)} of {len(found)} lines that search finds ({share:.0%})"
    summary = f"{held}, from {asked} questions"
    reasons = [
        f"{question.path}:{question.start} is not in the answer to '{question.text}'"
        for question in missed
    ]
    if share < _LEAST:
        return judged(2, AS_SEARCH, f"{summary}; at least {_LEAST:.0%} have to be", reasons)
    below = "" if share >= _GOAL else f"; the goal is {_GOAL:.0%}"
    return judged(2, AS_SEARCH, summary + below, [])


def _is_found(answer: Found, question: Question) -> bool:
    return any(
        _covers(question, hit.path, hit.start_line, hit.end_line) for hit in answer.results[:_FIRST]
    )


def _holds(answer: Answer, question: Question, entries: Entries) -> bool:
    if any(_is_passage_of(entry, question) for entry in answer.entries):
        return True
    if any(_says(entry.content, question.line) for entry in answer.entries):
        return True
    told = {entry.id for entry in answer.entries if _equivalence_tells(entry, question)}
    return any(_comes_from(entry, question) for entry in entries(sorted(told)))


def _equivalence_tells(recalled: Recalled, question: Question) -> bool:
    """Of a line that is longer than any answer, as of any snippet, what was asked for is enough."""
    return not recalled.truncated or _says(recalled.content, question.text)


def _is_passage_of(recalled: Recalled, question: Question) -> bool:
    named = _PASSAGE.fullmatch(recalled.id)
    if named is None:
        return False
    start = int(named["start"])
    return _covers(question, named["path"], start, int(named["end"] or start))


def _covers(question: Question, path: str, start: int, end: int) -> bool:
    return path == question.path and start <= question.end and question.start <= end


def _comes_from(entry: Entry, question: Question) -> bool:
    return any(
        origin.source == question.path
        and origin.position is not None
        and question.start <= origin.position <= question.end
        for origin in entry.origins
    )


def _says(content: str, line: str) -> bool:
    wanted = set(words(line))
    return bool(wanted) and wanted <= set(words(content))

"""Check 2: recall finds what search finds, asked with questions made from the files.

A question is made from a line (a bullet, a paragraph or a row of a table) that occurs only once
and has at least three content words. It consists of the line's four rarest words in the workspace,
in their order. Up to fifty lines are used, evenly spread, half of them from MEMORY.md and USER.md
if possible. The same files always give the same questions.

If a line is among the first six results of its search, recall must return it: as a passage, as an
entry that comes from it, or word for word in an entry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.model.entry import Entry
from remem.search.answer.answer import Answer, Recalled
from remem.search.passages.snippet import SearchResult
from remem.setup.validate.result import ValidationCheck, make_check
from remem.text.markdown import outline
from remem.text.secrets.mask import redact
from remem.text.words import STOP_WORDS, fold, has_grams, words

MAX_QUESTIONS: Final = 50
_QUESTION_WORDS: Final = 4
_MIN_WORDS: Final = 3
_GRAM_LENGTH: Final = 6
"""In scripts without spaces, words of a question are cut to this length."""
_MARKUP: Final = re.compile(
    r"<!--[^<]*?-->|\^(?:mem|rem)-\w+|https?://\S+|!?\[\[|\]\]|[`*~|]", re.DOTALL
)
_WORD: Final = re.compile(r"\w+(?:[.\-'’]\w+)*")
SEARCH_CHECK: Final = "Recall finds what search finds"
_TOP_RESULTS: Final = 6
_GOAL: Final = 0.95
_MINIMUM: Final = 0.90
_PASSAGE: Final = re.compile(r"(?P<path>.+)#L(?P<start>[0-9]+)(?:-L(?P<end>[0-9]+))?")
Search = Callable[[str], SearchResult]
Recall = Callable[[str], Answer]
FindEntries = Callable[[Sequence[str]], Sequence[Entry]]
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MemoryText:
    """A memory file; `curated` is true if a person maintains it."""

    path: str
    text: str
    curated: bool


@dataclass(frozen=True, slots=True)
class EquivalenceQuestion:
    """A question and the lines of a file that answer it."""

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


def questions(texts: Iterable[MemoryText], limit: int = MAX_QUESTIONS) -> list[EquivalenceQuestion]:
    """Return questions made from the files, at most `limit`."""
    lines = [line for text in texts for line in _lines(text)]
    line_counts = Counter(fold(line.text) for line in lines)
    word_counts = Counter(word for line in lines for word in {fold(word) for word in line.words})
    usable = [line for line in lines if line_counts[fold(line.text)] == 1 and _is_suitable(line)]
    curated = [line for line in usable if line.curated]
    notes = [line for line in usable if not line.curated]
    share = min(len(curated), max(limit // 2, limit - len(notes)))
    sample = [*_evenly_spread(curated, share), *_evenly_spread(notes, limit - share)]
    return [_question(line, word_counts) for line in sample]


def _question(line: _Line, word_counts: Counter[str]) -> EquivalenceQuestion:
    line_words = list(dict.fromkeys(line.words))
    rarest = sorted(line_words, key=lambda word: word_counts[fold(word)])[:_QUESTION_WORDS]
    text = " ".join(word for word in line_words if word in rarest)
    return EquivalenceQuestion(text, line.path, line.start, line.end, _MARKUP.sub(" ", line.text))


def _lines(text: MemoryText) -> list[_Line]:
    return [
        _Line(text.path, block.start, block.end, block.text, _words(block.text), text.curated)
        for block in outline(text.text)
        if block.kind in ("bullet", "text", "row")
    ]


def _words(text: str) -> tuple[str, ...]:
    content_words = [
        word for word in _WORD.findall(_MARKUP.sub(" ", text)) if _is_content_word(word)
    ]
    return tuple(word[:_GRAM_LENGTH] if has_grams(word) else word for word in content_words)


def _is_content_word(word: str) -> bool:
    if has_grams(word):
        return len(word) > 1
    return len(word) > 2 and word.casefold() not in STOP_WORDS and len(word) < 40


def _is_suitable(line: _Line) -> bool:
    """Return whether a line has enough words, and no secret, which an entry would mask."""
    has_enough_words = len(set(line.words)) >= _MIN_WORDS or any(
        has_grams(word) and len(word) == _GRAM_LENGTH for word in line.words
    )
    return has_enough_words and not redact(line.text).kinds


def _evenly_spread(lines: Sequence[_Line], count: int) -> list[_Line]:
    if count >= len(lines):
        return list(lines)
    return [lines[i * len(lines) // count] for i in range(count)]


def check_recall(
    questions: Sequence[EquivalenceQuestion],
    search: Search,
    recall: Recall,
    find: FindEntries,
    progress: Progress,
) -> ValidationCheck:
    """Run check 2; it fails if recall finds less than 90 % of the lines that search finds.

    The goal is 95 %.
    """
    if not questions:
        return make_check(2, SEARCH_CHECK, "no suitable line yet, so nothing was compared", [])
    found: list[EquivalenceQuestion] = []
    not_recalled: list[EquivalenceQuestion] = []
    for number, question in enumerate(questions, 1):
        progress(f"checking recall with question {number} of {len(questions)}")
        answer = search(question.text)
        if answer.unavailable:
            return make_check(
                2, SEARCH_CHECK, "search is unavailable", [answer.error or "unknown reason"]
            )
        if not _is_found(answer, question):
            continue
        found.append(question)
        if not _is_recalled(recall(question.text), question, find):
            not_recalled.append(question)
    return _check_of(len(questions), len(found), not_recalled)


def _check_of(
    count: int, found: int, not_recalled: Sequence[EquivalenceQuestion]
) -> ValidationCheck:
    """Return the check for `count` questions, of which search answered `found`."""
    if not found:
        reason = f"search finds none of {count} lines"
        return make_check(
            2, SEARCH_CHECK, f"0 of {count} questions", [f"{reason}; run `remem refresh`"]
        )
    share = 1 - len(not_recalled) / found
    recalled = f"{found - len(not_recalled)} of {found} lines that search finds ({share:.0%})"
    summary = f"{recalled}, from {count} questions"
    reasons = [
        f"{question.path}:{question.start} is not recalled for '{question.text}'"
        for question in not_recalled
    ]
    if share < _MINIMUM:
        return make_check(2, SEARCH_CHECK, f"{summary}; at least {_MINIMUM:.0%} required", reasons)
    below = "" if share >= _GOAL else f"; the goal is {_GOAL:.0%}"
    return make_check(2, SEARCH_CHECK, summary + below, [])


def _is_found(answer: SearchResult, question: EquivalenceQuestion) -> bool:
    return any(
        _overlaps(question, hit.path, hit.start_line, hit.end_line)
        for hit in answer.results[:_TOP_RESULTS]
    )


def _is_recalled(answer: Answer, question: EquivalenceQuestion, find: FindEntries) -> bool:
    if any(_is_passage_of(entry, question) for entry in answer.entries):
        return True
    if any(_has_words_of(entry.content, question.line) for entry in answer.entries):
        return True
    candidates = {entry.id for entry in answer.entries if _has_answer(entry, question)}
    return any(_comes_from(entry, question) for entry in find(sorted(candidates)))


def _has_answer(entry: Recalled, question: EquivalenceQuestion) -> bool:
    """Return whether an entry is shown whole, or at least with all words of the question."""
    return not entry.truncated or _has_words_of(entry.content, question.text)


def _is_passage_of(entry: Recalled, question: EquivalenceQuestion) -> bool:
    match = _PASSAGE.fullmatch(entry.id)
    if match is None:
        return False
    start = int(match["start"])
    return _overlaps(question, match["path"], start, int(match["end"] or start))


def _overlaps(question: EquivalenceQuestion, path: str, start: int, end: int) -> bool:
    return path == question.path and start <= question.end and question.start <= end


def _comes_from(entry: Entry, question: EquivalenceQuestion) -> bool:
    return any(
        origin.source == question.path
        and origin.position is not None
        and question.start <= origin.position <= question.end
        for origin in entry.origins
    )


def _has_words_of(content: str, line: str) -> bool:
    line_words = set(words(line))
    return bool(line_words) and line_words <= set(words(content))

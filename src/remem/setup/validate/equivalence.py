"""Does recall find what search finds? Asked of the workspace itself.

Where the lines of a question are among search's first six results, they have to be in recall's
answer: as a passage, as an entry that comes from them, or word for word in an entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from remem.core.entry import Entry
from remem.core.words import words
from remem.maintenance.validation.questions import Question
from remem.maintenance.validation.result import Check, judged
from remem.recall.answer import Answer, Recalled
from remem.recall.found import Found

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
    reasons = [f"{each.path}:{each.start} is not in the answer to '{each.text}'" for each in missed]
    if share < _LEAST:
        return judged(2, AS_SEARCH, f"{summary}; at least {_LEAST:.0%} have to be", reasons)
    below = "" if share >= _GOAL else f"; the goal is {_GOAL:.0%}"
    return judged(2, AS_SEARCH, summary + below, [])


def _is_found(answer: Found, question: Question) -> bool:
    return any(
        _covers(question, hit.path, hit.start_line, hit.end_line) for hit in answer.results[:_FIRST]
    )


def _holds(answer: Answer, question: Question, entries: Entries) -> bool:
    if any(_is_passage_of(each, question) for each in answer.entries):
        return True
    if any(_says(each.content, question.line) for each in answer.entries):
        return True
    told = {each.id for each in answer.entries if _tells(each, question)}
    return any(_comes_from(entry, question) for entry in entries(sorted(told)))


def _tells(recalled: Recalled, question: Question) -> bool:
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

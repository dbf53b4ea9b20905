"""Verdicts on whole headings: one answer about all lines of a section of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.admin.curate.batch import CurationView
from remem.admin.curate.given import GivenAnswer
from remem.admin.curate.lines import CandidateLine
from remem.model.verdict import Answer

_ANSWERS: Final[tuple[Answer, ...]] = ("keep", "drop", "pin")


def with_lines(answers: Sequence[GivenAnswer], view: CurationView) -> list[GivenAnswer]:
    """Replace each answer about a heading by one answer for every line under it.

    A heading is named as in a batch: by its file and title, or by a file, which means all headings
    of it. Lines that other answers name are left out.
    """
    item_names = {view.names.item(answer.item) or answer.item for answer in answers}
    return [one for answer in answers for one in _answers_by_line(answer, view, item_names)]


def _answers_by_line(
    answer: GivenAnswer, view: CurationView, named_lines: set[str]
) -> Iterator[GivenAnswer]:
    lines = (
        list(_lines_under(answer, view)) if answer.answer in _ANSWERS and not answer.merged else []
    )
    for line in lines:
        if line.item not in named_lines:
            yield replace(answer, item=view.names.name(line.item))
    if not lines:
        yield answer


def _lines_under(answer: GivenAnswer, view: CurationView) -> Iterator[CandidateLine]:
    """Yield the lines under a heading that an answer is about.

    To keep or drop, these are the lines on the page; to pin, also those that it leaves out. If the
    page has none of the heading's lines, they are those that it leaves out.
    """
    there = [line for line in (*view.page, *view.hidden) if _is_in(line, answer.item)]
    lines_below = [line for line in view.left_out if _is_in(line, answer.item)]
    yield from there
    if answer.answer == "pin" or not there:
        yield from lines_below


def _is_in(line: CandidateLine, heading: str) -> bool:
    return line.section == heading or line.order[0] == heading

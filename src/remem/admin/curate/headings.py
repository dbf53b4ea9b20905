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

    A heading is named by its file and title, as in a batch. A file alone means all its headings.
    Lines that other answers name are left out.
    """
    item_names = {view.names.item(answer.item) or answer.item for answer in answers}
    return [
        line_answer
        for answer in answers
        for line_answer in _answers_by_line(answer, view, item_names)
    ]


def _answers_by_line(
    answer: GivenAnswer, view: CurationView, named_lines: set[str]
) -> Iterator[GivenAnswer]:
    lines = (
        list(_lines_under(answer, view))
        if answer.answer in _ANSWERS and not answer.merged_items
        else []
    )
    for line in lines:
        if line.item not in named_lines:
            yield replace(answer, item=view.names.name(line.item))
    if not lines:
        yield answer


def _lines_under(answer: GivenAnswer, view: CurationView) -> Iterator[CandidateLine]:
    """Yield the lines under a heading that an answer is about.

    These are its lines on the page and, if it has none there or the answer is `pin`, those that the
    page leaves out.
    """
    on_page = [line for line in (*view.page, *view.hidden) if _is_in(line, answer.item)]
    left_out = [line for line in view.left_out if _is_in(line, answer.item)]
    yield from on_page
    if answer.answer == "pin" or not on_page:
        yield from left_out


def _is_in(line: CandidateLine, heading: str) -> bool:
    return heading in (line.where, line.section, line.order[0])

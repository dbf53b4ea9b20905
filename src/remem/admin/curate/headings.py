"""Verdicts on whole headings: one answer about all lines of a section of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from remem.admin.curate.batch import View
from remem.admin.curate.given import GivenAnswer
from remem.admin.curate.lines import CandidateLine
from remem.model.verdict import Answer

_ANSWERS: Final[tuple[Answer, ...]] = ("keep", "drop", "pin")


def with_lines(answers: Sequence[GivenAnswer], view: View) -> list[GivenAnswer]:
    """Return the answers with one for each line in place of one about a heading.

    A heading is named as in a batch: by its file and title, or by a file, which means all headings
    of it. A line that another answer names is not among them.
    """
    item_names = {view.names.item(answer.item) or answer.item for answer in answers}
    return [one for answer in answers for one in _each_line(answer, view, item_names)]


def _each_line(answer: GivenAnswer, view: View, named_lines: set[str]) -> Iterator[GivenAnswer]:
    lines = list(_under(answer, view)) if answer.answer in _ANSWERS and not answer.merged else []
    for line in lines:
        if line.item not in named_lines:
            yield replace(answer, item=view.names.name(line.item))
    if not lines:
        yield answer


def _under(answer: GivenAnswer, view: View) -> Iterator[CandidateLine]:
    """Yield the lines under a heading: those of the page to keep or drop, those of the page and
    those that it leaves out to pin. If the page has none, those that it leaves out."""
    there = [line for line in (*view.page, *view.hidden) if _is_in(line, answer.item)]
    lines_below = [line for line in view.left_out if _is_in(line, answer.item)]
    yield from there
    if answer.answer == "pin" or not there:
        yield from lines_below


def _is_in(line: CandidateLine, heading: str) -> bool:
    return line.section == heading or line.order[0] == heading

"""What does a file become? Passages, by the kind of file that it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from remem.core.annotations import annotations_of
from remem.core.outline import Block, blocks_of, lines_of
from remem.core.page import BEGIN, DERIVED, without_ours
from remem.core.passage import Passage
from remem.core.tokens import estimate
from remem.errors import FileError
from remem.notes.walking import Kind
from remem.refresh.curated import cut_curated
from remem.refresh.days import day_of_headings, day_of_name
from remem.refresh.notes import Cut, cost_of, cut_note


@dataclass(frozen=True, slots=True)
class Cutting:
    """The passages of a file, in the order of its lines; `tokens` is what all of it costs."""

    passages: tuple[Passage, ...]
    tokens: int
    trouble: str | None = None


def cut(path: str, kind: Kind, text: str) -> Cutting:
    if kind == "facts":
        return _facts(path, text)
    curated, tokens = kind == "curated", estimate(text)
    if path in DERIVED:
        text = without_ours(text)
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = blocks_of(lines)
    line_by_line = curated or BEGIN in text
    costs = [] if line_by_line else _costs(text, lines, blocks, tokens)
    cuts = cut_curated(lines, blocks) if line_by_line else cut_note(lines, blocks, costs)
    named = day_of_name(path)
    titled = None if curated or named else _first_day(blocks)
    passages = (
        _passage(path, each, curated=curated, day=named, otherwise=titled)
        for each in cuts
        if each.text.strip()
    )
    return Cutting(tuple(passages), tokens)


def _facts(path: str, text: str) -> Cutting:
    """The facts as far as they can be read."""
    from remem.refresh.facts import cut_facts  # most workspaces have none

    passages: list[Passage] = []
    trouble = None
    try:
        passages.extend(cut_facts(path, text))
    except FileError as error:
        trouble = str(error)
    return Cutting(tuple(passages), estimate(text), trouble)


def _costs(text: str, lines: Sequence[str], blocks: Sequence[Block], tokens: int) -> list[int]:
    """What each block costs. In plain ASCII a character costs much the same throughout a file,
    so its share will do; elsewhere scripts are mixed, and each block is looked at."""
    if not text.isascii():
        return [cost_of(lines, block) for block in blocks]
    share = tokens / max(1, len(text))
    ends = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return [1 + int(share * (ends[block.end] - ends[block.start - 1])) for block in blocks]


def _passage(
    path: str, each: Cut, *, curated: bool, day: str | None, otherwise: str | None
) -> Passage:
    remarks = annotations_of(each.text)
    return Passage(
        path=path,
        start=each.start,
        end=each.end,
        text=each.text,
        headings=each.headings,
        within=each.within,
        curated=curated,
        day=day or day_of_headings(each.headings) or otherwise,
        importance=remarks.importance,
        triggers=remarks.triggers,
        project=remarks.project,
    )


def _first_day(blocks: Sequence[Block]) -> str | None:
    """The date of the first heading that has one: what a note without a name's date tells of."""
    titles = (block.text for block in blocks if block.kind == "heading")
    return next((day for title in titles if (day := day_of_headings((title,)))), None)

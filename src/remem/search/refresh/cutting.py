"""Split memory files, fact files and transcripts into passages.

In a curated file, each bullet or paragraph becomes a passage, with its headings and parent bullets,
because each was written to be found by itself. Code stays with the statement above it, and a table
stays whole if it fits. In a fact file, each fact becomes a passage with the line numbers of its
JSON object. In a transcript, a passage consists of several turns; a transcript only grows, so
earlier passages do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, Final

from remem.files.facts import entity_of
from remem.files.walking import FileKind
from remem.model.fact import Fact, fact_of
from remem.model.fact_json import MalformedFacts, values_in
from remem.model.page import DERIVED, blank_generated_lines, blank_lines_with_sources, is_generated
from remem.model.passage import Passage
from remem.search.refresh.pieces import (
    PASSAGE_TOKENS,
    FilePiece,
    cost_of,
    cut_lines,
    cut_note,
    introduces,
    parents,
)
from remem.text.line_status import annotations_of
from remem.text.markdown import Block, blocks_of, lines_of
from remem.text.note_dates import day_of_headings, iso_date_in_name
from remem.text.tokens import estimate

if TYPE_CHECKING:
    from remem.files.transcripts.records import Turn


_MAX_PARENT_LENGTH: Final = 300
"""Only the beginning of a long parent bullet is kept; that is enough as context."""


def cut_curated(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[FilePiece]:
    """Split a curated file into one passage for each line with what belongs to it."""
    group: list[int] = []
    for i, block in enumerate(blocks):
        if block.kind == "comment" or (block.kind == "heading" and _has_text(blocks, i)):
            continue
        if group and not _belongs_to(lines, blocks, group, block):
            yield from _passage(lines, blocks, group)
            group = []
        group.append(i)
    if group:
        yield from _passage(lines, blocks, group)


def _has_text(blocks: Sequence[Block], i: int) -> bool:
    """Return whether there is text below a heading.

    A heading without text is a separate passage.
    """
    following = blocks[i + 1] if i + 1 < len(blocks) else None
    if following is None:
        return False
    return following.kind != "heading" or following.level > blocks[i].level


def _belongs_to(
    lines: Sequence[str], blocks: Sequence[Block], group: Sequence[int], block: Block
) -> bool:
    first, last = blocks[group[0]], blocks[group[-1]]
    if block.headings != last.headings or last.kind == "heading":
        return False
    follows = block.kind == "row" and last.kind == "row"
    follows = follows or (block.kind == "code" and last.kind in ("bullet", "text"))
    follows = follows or (block.kind in ("text", "row") and block.parent is not None)
    # A line that introduces a list says nothing by itself, so it goes with the first item.
    follows = follows or (block.kind == "bullet" and introduces(last))
    return follows and _cost(lines, first.start, block.end) <= PASSAGE_TOKENS


def _passage(
    lines: Sequence[str], blocks: Sequence[Block], group: Sequence[int]
) -> Iterator[FilePiece]:
    first, last = blocks[group[0]], blocks[group[-1]]
    within = tuple(parent[:_MAX_PARENT_LENGTH] for parent in parents(blocks, group[0]))
    if _cost(lines, first.start, last.end) <= PASSAGE_TOKENS:
        text = "\n".join(lines[first.start - 1 : last.end])
        yield FilePiece(first.start, last.end, text, first.headings, within)
    else:
        yield from cut_lines(lines, first.start, last.end, first.headings, within)


def _cost(lines: Sequence[str], start: int, end: int) -> int:
    return estimate("\n".join(lines[start - 1 : end])) + 1


@dataclass(frozen=True, slots=True)
class FilePassages:
    """The passages of a file in the order of lines; `tokens` is the cost of the whole file."""

    passages: tuple[Passage, ...]
    tokens: int
    problem: str | None = None


def cut_file(path: str, kind: FileKind, text: str) -> FilePassages:
    """Split a file into passages, and estimate its tokens."""
    if kind == "facts":
        return _cut_facts(path, text)
    curated, tokens = kind == "curated", estimate(text)
    if path in DERIVED:
        text = blank_generated_lines(text)
    elif is_generated(text):
        text = blank_lines_with_sources(text)
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = blocks_of(lines)
    line_by_line = curated or is_generated(text)
    costs = [] if line_by_line else _costs(text, lines, blocks, tokens)
    cuts = cut_curated(lines, blocks) if line_by_line else cut_note(lines, blocks, costs)
    day = iso_date_in_name(path)
    fallback_day = None if curated or day else _first_day(blocks)
    passages = (
        _passage_of(path, piece, curated=curated, day=day, fallback_day=fallback_day)
        for piece in cuts
        if piece.text.strip()
    )
    return FilePassages(tuple(passages), tokens)


def cut_transcript(path: str, lines: Iterator[Turn]) -> FilePassages:
    """Split the turns of each day into passages.

    The passages of a long conversation overlap slightly.
    """
    passages: list[Passage] = []
    for day, of_day in groupby(lines, lambda line: line.time[:10] if line.time else None):
        turns = list(of_day)
        passages += [
            Passage(
                path=path,
                start=turns[piece.start - 1].line,
                end=turns[piece.end - 1].line,
                text=piece.text,
                source="sessions",
                day=day,
            )
            for piece in cut_lines([line.text for line in turns], 1, len(turns))
        ]
    return FilePassages(tuple(passages), sum(estimate(passage.text) for passage in passages))


def _cut_facts(path: str, text: str) -> FilePassages:
    """Return a passage for each fact, up to the first invalid one."""
    entity = entity_of(path)
    passages: list[Passage] = []
    problem = None
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity=entity, path=path, lines=(start, end), number=number)
            if fact is not None:
                passages.append(_fact_passage(fact, value.get("status", "")))
    except MalformedFacts as error:
        problem = str(error)
    return FilePassages(tuple(passages), estimate(text), problem)


def _fact_passage(fact: Fact, status: Any) -> Passage:
    fields = (fact.category, status, fact.timestamp, fact.superseded_by)
    details = ", ".join(str(item) for item in fields if item)
    statement = f"{fact.id}: {fact.fact}" if fact.id else fact.fact
    return Passage(
        path=fact.path,
        start=fact.start,
        end=fact.end,
        text=f"{statement} ({details})" if details else statement,
        headings=(fact.entity.rpartition("/")[2],),
        day=iso_date_in_name(fact.timestamp[:10]),
    )


def _costs(text: str, lines: Sequence[str], blocks: Sequence[Block], tokens: int) -> list[int]:
    """Return the estimated tokens of each block.

    In ASCII text the tokens of the file are divided in proportion to length, which is faster and
    nearly exact. In other texts scripts may be mixed, so each block is counted.
    """
    if not text.isascii():
        return [cost_of(lines, block) for block in blocks]
    share = tokens / max(1, len(text))
    ends = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return [1 + int(share * (ends[block.end] - ends[block.start - 1])) for block in blocks]


def _passage_of(
    path: str, piece: FilePiece, *, curated: bool, day: str | None, fallback_day: str | None
) -> Passage:
    noted = annotations_of(piece.text)
    return Passage(
        path=path,
        start=piece.start,
        end=piece.end,
        text=piece.text,
        headings=piece.headings,
        within=piece.within,
        curated=curated,
        day=day or day_of_headings(_headings_of(piece)) or fallback_day,
        importance=noted.importance,
        triggers=noted.triggers,
        project=noted.project,
    )


def _headings_of(piece: FilePiece) -> tuple[str, ...]:
    """Return the headings above a piece and the one that it begins with."""
    first = piece.text.lstrip().partition("\n")[0]
    return (*piece.headings, first) if first.startswith("#") else piece.headings


def _first_day(blocks: Sequence[Block]) -> str | None:
    """Return the first date in a heading, for a note without a date in its name."""
    titles = (block.text for block in blocks if block.kind == "heading")
    return next((day for title in titles if (day := day_of_headings((title,)))), None)

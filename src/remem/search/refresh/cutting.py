"""Cut memory files, fact files and transcripts into passages.

A curated file gives one passage for each bullet or paragraph, with its headings and parent bullets:
every line was put there to be found on its own. Code stays with the statement above it, and a table
stays whole if it fits. A fact file gives one passage for each fact; its lines are those of the JSON
object. A transcript gives passages of several turns; it only grows, so earlier passages stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from time import time_ns
from typing import TYPE_CHECKING, Final

from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.facts import entity_of
from remem.files.walking import Kind
from remem.model.fact import fact_of
from remem.model.fact_json import MalformedFacts, values_in
from remem.model.page import BEGIN, DERIVED, blank_generated_lines
from remem.model.passage import FileMark, Passage
from remem.search.refresh.pieces import (
    PASSAGE_TOKENS,
    Cut,
    cost_of,
    cut_note,
    cut_of,
    day_of_headings,
    day_of_name,
    parents,
    pieces,
)
from remem.search.refresh.reading import UNSETTLED_NS, ReadFile
from remem.text.line_status import annotations_of
from remem.text.markdown import Block, blocks_of, lines_of
from remem.text.tokens import estimate

if TYPE_CHECKING:
    from remem.files.transcripts.locate import Transcript
    from remem.files.transcripts.records import RenderedLine


_MAX_PARENT_LENGTH: Final = 300
"""Of a long parent only the beginning is kept: the rest says no more about its child."""
_CHUNK_BYTES: Final = 1 << 20


def cut_curated(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Cut]:
    group: list[Block] = []
    for i, block in enumerate(blocks):
        if block.kind == "comment" or (block.kind == "heading" and _has_text(blocks, i)):
            continue
        if group and not _belongs_to(lines, group, block):
            yield from _passage(lines, blocks, group)
            group = []
        group.append(block)
    if group:
        yield from _passage(lines, blocks, group)


def _has_text(blocks: Sequence[Block], i: int) -> bool:
    """Whether there is text below a heading; an empty one is a passage of its own."""
    following = blocks[i + 1] if i + 1 < len(blocks) else None
    if following is None:
        return False
    return following.kind != "heading" or following.level > blocks[i].level


def _belongs_to(lines: Sequence[str], group: Sequence[Block], block: Block) -> bool:
    last = group[-1]
    if block.headings != last.headings or last.kind == "heading":
        return False
    follows = block.kind == "row" and last.kind == "row"
    follows = follows or (block.kind == "code" and last.kind in ("bullet", "text"))
    follows = follows or (block.kind in ("text", "row") and block.parent is not None)
    return follows and _cost(lines, group[0].start, block.end) <= PASSAGE_TOKENS


def _passage(
    lines: Sequence[str], blocks: Sequence[Block], group: Sequence[Block]
) -> Iterator[Cut]:
    first, last = group[0], group[-1]
    within = tuple(parent[:_MAX_PARENT_LENGTH] for parent in parents(blocks, first))
    if _cost(lines, first.start, last.end) <= PASSAGE_TOKENS:
        text = "\n".join(lines[first.start - 1 : last.end])
        yield Cut(first.start, last.end, text, first.headings, within)
        return
    for piece in pieces(lines, first.start, last.end):
        yield cut_of(piece, first.headings, within)


def _cost(lines: Sequence[str], start: int, end: int) -> int:
    return estimate("\n".join(lines[start - 1 : end])) + 1


def cut_facts(path: str, text: str) -> Iterator[Passage]:
    """Yield a passage for each fact; raises FileError at the first invalid one."""
    entity = entity_of(path)
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity=entity, path=path, lines=(start, end), number=number)
            if fact is None:
                continue
            status = value.get("status", "")
            fields = (fact.category, status, fact.timestamp, fact.superseded_by)
            details = ", ".join(str(item) for item in fields if item)
            statement = f"{fact.id}: {fact.fact}" if fact.id else fact.fact
            yield Passage(
                path=path,
                start=start,
                end=end,
                text=f"{statement} ({details})" if details else statement,
                headings=(entity.rpartition("/")[2],),
                day=day_of_name(fact.timestamp[:10]),
            )
    except MalformedFacts as error:
        raise FileError(str(error)) from error


def is_known_transcript(transcript: Transcript, mark: FileMark | None) -> bool:
    if mark is None or not mark.digest:
        return False
    mtime, changed, size, inode = transcript.signature
    return (mark.mtime_ns, mark.changed_ns, mark.size, mark.inode) == (mtime, changed, size, inode)


def read_transcript(transcript: Transcript, known: FileMark | None) -> ReadFile | FileMark | None:
    """Return its passages, only a new mark if its bytes are unchanged, or None if it is gone."""
    from remem.files.transcripts.reading import read  # lazy: most workspaces have no transcripts

    if not transcript.file.exists():
        return None
    try:
        digest = _digest(transcript)
        if known is not None and known.digest == digest:
            return _mark(transcript, digest, known.tokens, known.trouble)
        passages = tuple(cut_lines(transcript.reference, read(transcript.file).lines()))
    except RememError as error:
        return ReadFile(_mark(transcript, "", 0, str(error)), ())
    tokens = sum(estimate(passage.text) for passage in passages)
    return ReadFile(_mark(transcript, digest, tokens, None), passages)


def cut_lines(reference: str, lines: Iterator[RenderedLine]) -> Iterator[Passage]:
    """Yield passages of one day each; those of a long conversation overlap a little."""
    for day, of_day in groupby(lines, lambda line: line.moment[:10] if line.moment else None):
        turns = list(of_day)
        for piece in pieces([line.text for line in turns], 1, len(turns)):
            yield Passage(
                path=reference,
                start=turns[piece.start - 1].line,
                end=turns[piece.end - 1].line,
                text=piece.text,
                source="sessions",
                day=day,
            )


def _digest(transcript: Transcript) -> str:
    digest = hashlib.sha256()
    with atomic.open_stream(transcript.file) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _mark(transcript: Transcript, digest: str, tokens: int, trouble: str | None) -> FileMark:
    mtime, changed, size, inode = transcript.signature
    return FileMark(
        path=transcript.reference,
        size=size,
        mtime_ns=mtime,
        inode=inode,
        digest=digest,
        tokens=tokens,
        trouble=trouble,
        changed_ns=0 if changed > time_ns() - UNSETTLED_NS else changed,
    )


@dataclass(frozen=True, slots=True)
class FilePassages:
    """The passages of a file in line order; `tokens` counts the whole file."""

    passages: tuple[Passage, ...]
    tokens: int
    trouble: str | None = None


def cut_file(path: str, kind: Kind, text: str) -> FilePassages:
    if kind == "facts":
        return _facts(path, text)
    curated, tokens = kind == "curated", estimate(text)
    if path in DERIVED:
        text = blank_generated_lines(text)
    lines = lines_of(text.removeprefix("\ufeff"))
    blocks = blocks_of(lines)
    line_by_line = curated or BEGIN in text
    costs = [] if line_by_line else _costs(text, lines, blocks, tokens)
    cuts = cut_curated(lines, blocks) if line_by_line else cut_note(lines, blocks, costs)
    day = day_of_name(path)
    fallback_day = None if curated or day else _first_day(blocks)
    passages = (
        _passage_of(path, piece, curated=curated, day=day, fallback_day=fallback_day)
        for piece in cuts
        if piece.text.strip()
    )
    return FilePassages(tuple(passages), tokens)


def _facts(path: str, text: str) -> FilePassages:
    """Cut the facts up to the first invalid one."""
    passages: list[Passage] = []
    trouble = None
    try:
        passages.extend(cut_facts(path, text))
    except FileError as error:
        trouble = str(error)
    return FilePassages(tuple(passages), estimate(text), trouble)


def _costs(text: str, lines: Sequence[str], blocks: Sequence[Block], tokens: int) -> list[int]:
    """Return the tokens of each block.

    In ASCII text a block gets its share by length, because characters cost much the same throughout
    a file. Other scripts may be mixed, so each block is counted.
    """
    if not text.isascii():
        return [cost_of(lines, block) for block in blocks]
    share = tokens / max(1, len(text))
    ends = list(accumulate((len(line) + 1 for line in lines), initial=0))
    return [1 + int(share * (ends[block.end] - ends[block.start - 1])) for block in blocks]


def _passage_of(
    path: str, piece: Cut, *, curated: bool, day: str | None, fallback_day: str | None
) -> Passage:
    annotations = annotations_of(piece.text)
    return Passage(
        path=path,
        start=piece.start,
        end=piece.end,
        text=piece.text,
        headings=piece.headings,
        within=piece.within,
        curated=curated,
        day=day or day_of_headings(piece.headings) or fallback_day,
        importance=annotations.importance,
        triggers=annotations.triggers,
        project=annotations.project,
    )


def _first_day(blocks: Sequence[Block]) -> str | None:
    """Return the first date in a heading, for a note without a date in its name."""
    titles = (block.text for block in blocks if block.kind == "heading")
    return next((day for title in titles if (day := day_of_headings((title,)))), None)

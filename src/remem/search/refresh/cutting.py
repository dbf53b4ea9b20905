"""What does a file become? Passages, by the kind of file that it is.

Which passages does a curated file hold? One for each bullet or paragraph: every line of it
was put there to be found on its own.

Its headings and the bullets that it is nested in stand beside it. Code goes with the statement
above it, and a table stays whole where it fits.

Which passages do the facts of an entity give?

One a fact, found by its words, its id and its entity; its lines are those of its JSON object.

Which passages does a transcript give? What was said, some turns each, with its own lines.

Transcripts grow at their end: what was said before keeps its passages.
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
from remem.model.fact_json import NoFacts, values_in
from remem.model.page import BEGIN, DERIVED, without_ours
from remem.model.passage import FileMark, Passage
from remem.search.refresh.pieces import (
    PASSAGE,
    Cut,
    cost_of,
    cut_note,
    cut_of,
    day_of_headings,
    day_of_name,
    parents,
    pieces,
)
from remem.search.refresh.reading import UNSETTLED, Taken
from remem.text.line_status import annotations_of
from remem.text.markdown import Block, blocks_of, lines_of
from remem.text.tokens import estimate

if TYPE_CHECKING:
    from remem.files.transcripts.places import Transcript
    from remem.files.transcripts.records import Line


_LONGEST_PARENT: Final = 300
"""A parent that is itself a whole text tells no more about its child than its beginning."""


def cut_curated(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Cut]:
    held: list[Block] = []
    for place, block in enumerate(blocks):
        if block.kind == "comment" or (block.kind == "heading" and _has_text(blocks, place)):
            continue
        if held and not _go_together(lines, held, block):
            yield from _passage(lines, blocks, held)
            held = []
        held.append(block)
    if held:
        yield from _passage(lines, blocks, held)


def _has_text(blocks: Sequence[Block], place: int) -> bool:
    """Whether anything stands under a heading; one above nothing is a passage of its own."""
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if following is None:
        return False
    return following.kind != "heading" or following.level > blocks[place].level


def _go_together(lines: Sequence[str], held: Sequence[Block], block: Block) -> bool:
    last = held[-1]
    if block.headings != last.headings or last.kind == "heading":
        return False
    follows = block.kind == "row" and last.kind == "row"
    follows = follows or (block.kind == "code" and last.kind in ("bullet", "text"))
    follows = follows or (block.kind in ("text", "row") and block.parent is not None)
    return follows and _cost(lines, held[0].start, block.end) <= PASSAGE


def _passage(lines: Sequence[str], blocks: Sequence[Block], held: Sequence[Block]) -> Iterator[Cut]:
    first, last = held[0], held[-1]
    within = tuple(parent[:_LONGEST_PARENT] for parent in parents(blocks, first))
    if _cost(lines, first.start, last.end) <= PASSAGE:
        text = "\n".join(lines[first.start - 1 : last.end])
        yield Cut(first.start, last.end, text, first.headings, within)
        return
    for piece in pieces(lines, first.start, last.end):
        yield cut_of(piece, first.headings, within)


def _cost(lines: Sequence[str], start: int, end: int) -> int:
    return estimate("\n".join(lines[start - 1 : end])) + 1


def cut_facts(path: str, text: str) -> Iterator[Passage]:
    """The facts in order; FileError where the file is no list of facts, after those before."""
    entity = entity_of(path)
    try:
        for number, (start, end, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity=entity, path=path, lines=(start, end), number=number)
            if fact is None:
                continue
            written = value.get("status", "")
            known = (fact.category, written, fact.timestamp, fact.superseded_by)
            told = ", ".join(str(each) for each in known if each)
            said = f"{fact.id}: {fact.fact}" if fact.id else fact.fact
            yield Passage(
                path=path,
                start=start,
                end=end,
                text=f"{said} ({told})" if told else said,
                headings=(entity.rpartition("/")[2],),
                day=day_of_name(fact.timestamp[:10]),
            )
    except NoFacts as error:
        raise FileError(str(error)) from error


_STEP: Final = 1 << 20


def is_known_transcript(transcript: Transcript, mark: FileMark | None) -> bool:
    if mark is None or not mark.digest:
        return False
    mtime, changed, size, inode = transcript.signature
    return (mark.mtime_ns, mark.changed_ns, mark.size, mark.inode) == (mtime, changed, size, inode)


def take_transcript(transcript: Transcript, known: FileMark | None) -> Taken | FileMark | None:
    """Its passages; its new mark alone where the bytes are as they were; None if it is gone."""
    from remem.files.transcripts.reading import read  # most memories keep no transcripts

    if not transcript.file.exists():
        return None
    try:
        digest = _digest(transcript)
        if known is not None and known.digest == digest:
            return _mark(transcript, digest, known.tokens, known.trouble)
        passages = tuple(cut_lines(transcript.reference, read(transcript.file).lines()))
    except RememError as error:
        return Taken(_mark(transcript, "", 0, str(error)), ())
    tokens = sum(estimate(passage.text) for passage in passages)
    return Taken(_mark(transcript, digest, tokens, None), passages)


def cut_lines(reference: str, lines: Iterator[Line]) -> Iterator[Passage]:
    """Passages of one day each; those of a long conversation overlap a little."""
    for day, of_day in groupby(lines, lambda line: line.moment[:10] if line.moment else None):
        said = list(of_day)
        for piece in pieces([line.text for line in said], 1, len(said)):
            yield Passage(
                path=reference,
                start=said[piece.start - 1].line,
                end=said[piece.end - 1].line,
                text=piece.text,
                source="sessions",
                day=day,
            )


def _digest(transcript: Transcript) -> str:
    found = hashlib.sha256()
    with atomic.streamed(transcript.file) as stream:
        while step := stream.read(_STEP):
            found.update(step)
    return found.hexdigest()


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
        changed_ns=0 if changed > time_ns() - UNSETTLED else changed,
    )


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
        _cutting_passage(path, each, curated=curated, day=named, otherwise=titled)
        for each in cuts
        if each.text.strip()
    )
    return Cutting(tuple(passages), tokens)


def _facts(path: str, text: str) -> Cutting:
    """The facts as far as they can be read."""
    # MOVED  # most workspaces have none

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


def _cutting_passage(
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

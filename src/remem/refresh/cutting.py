"""What does a file become? Passages, by the kind of file that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remem.core.annotations import annotations_of
from remem.core.outline import Block, lines_of, outline
from remem.core.passage import Passage
from remem.notes.walking import Kind
from remem.refresh.curated import cut_curated
from remem.refresh.days import day_of_headings, day_of_name
from remem.refresh.facts import cut_facts
from remem.refresh.notes import Cut, cut_note


def cut(path: str, kind: Kind, text: str) -> Iterator[Passage]:
    """The passages of a file, in the order of its lines."""
    if kind == "facts":
        yield from cut_facts(path, text)
        return
    curated = kind == "curated"
    lines, blocks = lines_of(text.removeprefix("\ufeff")), outline(text)
    named = day_of_name(path)
    titled = None if curated else _first_day(blocks)
    for each in cut_curated(lines, blocks) if curated else cut_note(lines, blocks):
        if each.piece.text.strip():
            yield _passage(path, each, curated=curated, day=named, otherwise=titled)


def _passage(
    path: str, each: Cut, *, curated: bool, day: str | None, otherwise: str | None
) -> Passage:
    remarks = annotations_of(each.piece.text)
    return Passage(
        path=path,
        start=each.piece.start,
        end=each.piece.end,
        text=each.piece.text,
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

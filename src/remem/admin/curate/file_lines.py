"""Statements in USER.md and MEMORY.md that migration did not store, for review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from remem.extract.judge import judge
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.model.loaded_statements import FILES, LoadedText
from remem.model.statement import Place
from remem.ports.entries import EntryReader
from remem.ports.records import Where
from remem.text.line_status import is_placeholder, is_stamp, is_template
from remem.text.markdown import Block, outline
from remem.text.similarity import folded_hash
from remem.text.statements import strip_markup


@dataclass(frozen=True, slots=True)
class FileLine:
    """A statement of a file that is not an entry; `item` names it in a verdict."""

    path: str
    line: int
    text: str
    headings: tuple[str, ...]

    @property
    def item(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def wording_hash(self) -> int:
        return folded_hash(self.text)

    @property
    def place(self) -> Place:
        return Place(self.path, self.headings)


def unstored_lines(layout: Layout, reader: EntryReader, index_text: str) -> list[FileLine]:
    """The statements without an entry that the index does not show, the best first."""
    shown = LoadedText(index_text)
    found = [
        line
        for name in FILES
        if (file := owners_file(layout, name, []))
        for line in _unstored(name, file.text, reader)
        if not shown.has(line.text)
    ]
    return sorted(found, key=lambda line: -judge(line.text, line.place).worth)


def by_item(lines: list[FileLine]) -> Mapping[str, FileLine]:
    return {line.item: line for line in lines}


def _unstored(path: str, text: str, reader: EntryReader) -> Iterator[FileLine]:
    blocks = [block for block in outline(text) if _has_content(block)]
    places = [(path, line) for block in blocks for line in range(block.start, block.end + 1)]
    stored = {
        origin.position
        for entry in reader.select(Where(state="any", from_lines=tuple(places)))
        for origin in entry.origins
        if origin.source == path
    }
    for block in blocks:
        if stored.isdisjoint(range(block.start, block.end + 1)):
            yield FileLine(path, block.start, strip_markup(block.text), block.headings)


def _has_content(block: Block) -> bool:
    text = block.text
    empty = is_placeholder(text) or is_template(text) or is_stamp(text)
    return block.kind in ("bullet", "text", "row") and not empty

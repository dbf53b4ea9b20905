"""May agents rely on this memory? The five checks, in their order; nothing is changed by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.get import Excerpt
from remem.entries.index import LIMIT, Index
from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.walking import MemoryFile
from remem.model.entry import Entry
from remem.model.scope import MAIN
from remem.search.answer.answer import Answer
from remem.search.passages.snippet import Found
from remem.setup.validate.equivalence import AS_SEARCH, Progress, Text, questions, recall_as_search
from remem.setup.validate.result import Check, Tried, Validation, judged
from remem.setup.validate.round_trip import STORED, readable_domains, sample_of, stored_is_recalled
from remem.text.markdown import outline
from remem.text.placeholders import is_placeholder, is_stamp, is_template

_SMALL: Final = "The index is small"
_MEMORY_MD: Final = "MEMORY.md"
_MOST_NOTES: Final = 400
"""So many notes are read for questions; of more, these are spread over all."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What a validation asks of a memory; none of it leaves a trace."""

    search: Callable[[str], Found]
    recall: Callable[[str], Answer]
    get: Callable[[str, int], Excerpt]
    index: Callable[[], Index]
    has_entries_of: Callable[[str], bool]
    find: Callable[[Sequence[str]], list[Entry]]
    entries: Callable[[], list[Entry]]


def validate(
    layout: Layout,
    extra_paths: tuple[str, ...],
    asking: Asking,
    self_test: Callable[[], Sequence[Tried]],
    progress: Progress,
) -> Validation:
    progress("trying every tool in a workspace of its own")
    tried = self_test()

    texts = _texts(layout, extra_paths)

    def as_search() -> Check:
        asked = questions(texts)
        return recall_as_search(asked, asking.search, asking.recall, asking.find, progress)

    def round_trip() -> Check:
        return stored_is_recalled(tried, sample_of(asking.entries()), asking.recall)

    progress("making questions from the files")
    checks = [_tools(tried), _safely(2, AS_SEARCH, as_search)]
    progress("asking for what is stored")
    checks += [_safely(3, _SMALL, lambda: _index(asking, texts)), _safely(4, STORED, round_trip)]
    progress("reading the domain files")
    checks.append(readable_domains(layout, layout.domains(MAIN), asking.get))
    return Validation(all(check.passed for check in checks), tuple(checks))


def _tools(tried: Sequence[Tried]) -> Check:
    reasons = [f"{each.tool}: {each.reason}" for each in tried if each.reason]
    return judged(1, "Every tool works", f"{len(tried)} tools, called for real", reasons)


def _index(asking: Asking, texts: Sequence[Text]) -> Check:
    """It must be small, and have something of MEMORY.md: a host loads it in place of the file."""
    index = asking.index()
    summary = f"{index.tokens:,} of at most {LIMIT:,} tokens"
    reasons = [] if index.tokens < LIMIT else [f"it costs {index.tokens} tokens"]
    stated = any(text.path == _MEMORY_MD and _states_something(text) for text in texts)
    if stated and not asking.has_entries_of(_MEMORY_MD):
        summary += f", nothing of {_MEMORY_MD}"
        reasons.append(f"no line of {_MEMORY_MD} is an entry: run `remem migrate` first")
    return judged(3, _SMALL, summary, reasons)


def _states_something(text: Text) -> bool:
    return any(
        block.kind in ("bullet", "text", "row")
        and not (is_placeholder(block.text) or is_template(block.text) or is_stamp(block.text))
        for block in outline(text.text)
    )


def _safely(number: int, name: str, check: Callable[[], Check]) -> Check:
    """A check that cannot be made has failed, and says why."""
    try:
        return check()
    except RememError as error:
        return judged(number, name, "it could not be looked at", [str(error)])


def _texts(layout: Layout, extra_paths: tuple[str, ...]) -> list[Text]:
    """The files that questions are made from; one that cannot be read is refresh's to name."""
    known = [
        file
        for file in memory_files(layout, MAIN, extra_paths)
        if file.kind in ("curated", "note") and file.refused is None
    ]
    notes = [memory_file for memory_file in known if memory_file.kind == "note"]
    step = max(1, -(-len(notes) // _MOST_NOTES))
    chosen = [
        *(memory_file for memory_file in known if memory_file.kind == "curated"),
        *notes[::step],
    ]
    return [
        Text(memory_file.path, text, memory_file.kind == "curated")
        for memory_file in chosen
        if (text := _text(memory_file)) is not None
    ]


def _text(file: MemoryFile) -> str | None:
    try:
        data = atomic.read(file.absolute)
    except RememError:
        return None
    return None if data is None else data.decode(errors="replace")

"""Run the six checks of `remem validate`, which show whether agents can rely on this memory."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.get import Excerpt
from remem.disclose.start import INDEX_BUDGET, StartText
from remem.entries.index import MAX_INDEX_TOKENS, Index
from remem.errors import RememError
from remem.extract.judge import judge
from remem.files import atomic
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.files.memory_files import memory_files
from remem.files.walking import MemoryFile
from remem.model.entry import Entry
from remem.model.host_loading import CURATED_FILES, MEMORY_MD
from remem.model.loaded_statements import (
    LoadedStatement,
    LoadedStatements,
    compare_with_start,
)
from remem.model.scope import MAIN
from remem.model.statement import Place
from remem.search.answer.answer import Answer
from remem.search.passages.snippet import SearchResult
from remem.setup.validate.equivalence import (
    SEARCH_CHECK,
    MemoryText,
    Progress,
    check_recall,
    questions,
)
from remem.setup.validate.result import ToolResult, Validation, ValidationCheck, make_check
from remem.setup.validate.round_trip import (
    STORED_ENTRIES_CHECK,
    check_domain_files,
    check_stored_entries,
    sample_of,
)
from remem.text.line_status import is_placeholder, is_stamp, is_template
from remem.text.markdown import one_line, outline

_INDEX_CHECK: Final = "The index is small"
_START_CHECK: Final = "Conversations start with at least as much"
_BUDGET_SHARE: Final = 0.9
"""The share of what the whole budget has room for that an index must show."""
_TOO_LITTLE: Final = (
    "it says less than the beginning of the files; `remem index pin` adds lines, "
    "`remem curate` proposes some"
)
_MAX_NOTES: Final = 400
"""At most this many notes are read for questions, evenly spread."""


@dataclass(frozen=True, slots=True)
class ValidationQueries:
    """The queries of a validation; none of them changes the store."""

    search: Callable[[str], SearchResult]
    recall: Callable[[str], Answer]
    get: Callable[[str, int], Excerpt]
    index: Callable[[], Index]
    has_entries_of: Callable[[str], bool]
    find: Callable[[Sequence[str]], list[Entry]]
    entries: Callable[[], list[Entry]]
    start: Callable[[], StartText]
    count: Callable[[str], int]
    dropped_lines: Callable[[], Container[tuple[str, int]]]


def validate(
    layout: Layout,
    extra_paths: tuple[str, ...],
    queries: ValidationQueries,
    self_test: Callable[[], Sequence[ToolResult]],
    progress: Progress,
) -> Validation:
    """Run all checks, even if some of them fail."""
    progress("trying every tool in a temporary workspace")
    tool_results = self_test()
    texts = _texts(layout, extra_paths)

    def recall_check() -> ValidationCheck:
        return check_recall(
            questions(texts), queries.search, queries.recall, queries.find, progress
        )

    def store_check() -> ValidationCheck:
        return check_stored_entries(tool_results, sample_of(queries.entries()), queries.recall)

    progress("making questions from the files")
    checks = [_check_tools(tool_results), _safely(2, SEARCH_CHECK, recall_check)]
    progress("recalling stored entries")
    checks += [
        _safely(3, _INDEX_CHECK, lambda: _check_index(queries, texts)),
        _safely(4, STORED_ENTRIES_CHECK, store_check),
    ]
    progress("reading the domain files")
    checks.append(check_domain_files(layout, layout.domains(MAIN), queries.get))
    progress("comparing the start text with the files")
    missing: list[str] = []
    checks.append(_safely(6, _START_CHECK, lambda: _check_start(layout, queries, missing)))
    return Validation(all(check.passed for check in checks), tuple(checks), tuple(missing))


def _check_tools(results: Sequence[ToolResult]) -> ValidationCheck:
    reasons = [f"{result.tool}: {result.reason}" for result in results if result.reason]
    return make_check(
        1, "Every tool works", f"{len(results)} tools, called in a temporary workspace", reasons
    )


def _check_index(queries: ValidationQueries, texts: Sequence[MemoryText]) -> ValidationCheck:
    """Run check 3: the index is small, and MEMORY.md was migrated.

    Hosts load the index in its place.
    """
    index = queries.index()
    summary = f"{index.tokens:,} of at most {MAX_INDEX_TOKENS:,} tokens"
    reasons = [] if index.tokens < MAX_INDEX_TOKENS else [f"it costs {index.tokens} tokens"]
    has_statements = any(text.path == MEMORY_MD and _states_something(text) for text in texts)
    if has_statements and not queries.has_entries_of(MEMORY_MD):
        summary += f", nothing of {MEMORY_MD}"
        reasons.append(f"no line of {MEMORY_MD} is an entry: run `remem migrate` first")
    return make_check(3, _INDEX_CHECK, summary, reasons)


def _check_start(layout: Layout, queries: ValidationQueries, missing: list[str]) -> ValidationCheck:
    """Run check 6: the start text says enough of what USER.md and MEMORY.md say.

    It must have as many of their statements as their beginning, cut off at the size of the start
    text, and nearly as many as their beginning, cut off at the whole budget. Statements count by
    their worth, so that a rule is not outweighed by a detail. Those that do not belong in the
    index, such as log lines, do not count, nor do those that the owner dropped. The other
    statements of MEMORY.md that the start text lacks are added to `missing`; USER.md is still
    loaded.
    """
    problems: list[str] = []
    files = {name: owners_file(layout, name, problems) for name in CURATED_FILES}
    texts = {name: file.text for name, file in files.items() if file is not None}
    start, dropped = queries.start(), queries.dropped_lines()

    def compare(tokens: int) -> LoadedStatements:
        return compare_with_start(
            texts,
            start.text,
            tokens,
            queries.count,
            dropped_lines=dropped,
            worth_of=_worth_of,
        )

    tokens = queries.count(start.text)
    result, possible = compare(tokens), compare(max(tokens, INDEX_BUDGET))
    missing += [
        f"{statement.path}:{statement.line} {one_line(statement.text, 100)}"
        for statement in result.missing
        if statement.path == MEMORY_MD
    ]
    required = max(result.share_kept_by_cutting, _BUDGET_SHARE * possible.share_kept_by_cutting)
    reasons = [] if result.share_kept >= required else [_TOO_LITTLE]
    return make_check(6, _START_CHECK, _start_summary(result), reasons + problems)


def _worth_of(statement: LoadedStatement) -> float:
    return judge(statement.source, Place(statement.path, statement.headings)).worth


def _start_summary(statements: LoadedStatements) -> str:
    if not statements.total:
        return "USER.md and MEMORY.md state nothing yet"
    return (
        f"the start text has {statements.kept} of {statements.total} statements of USER.md and "
        f"MEMORY.md, {statements.share_kept:.0%} by their worth; these files cut off at the same "
        f"size have {statements.kept_by_cutting}, {statements.share_kept_by_cutting:.0%}"
    )


def _states_something(text: MemoryText) -> bool:
    return any(
        block.kind in ("bullet", "text", "row")
        and not (is_placeholder(block.text) or is_template(block.text) or is_stamp(block.text))
        for block in outline(text.text)
    )


def _safely(number: int, name: str, check: Callable[[], ValidationCheck]) -> ValidationCheck:
    """Run a check; an error counts as a failure, and its message is the reason."""
    try:
        return check()
    except RememError as error:
        return make_check(number, name, "the check could not run", [str(error)])


def _texts(layout: Layout, extra_paths: tuple[str, ...]) -> list[MemoryText]:
    """Return the files to make questions from.

    Unreadable files are skipped, as `refresh` reports them.
    """
    files = [file for file in memory_files(layout, MAIN, extra_paths) if file.refused is None]
    curated = [file for file in files if file.kind == "curated"]
    notes = [file for file in files if file.kind == "note"]
    step = max(1, -(-len(notes) // _MAX_NOTES))
    return [
        MemoryText(file.path, text, file.kind == "curated")
        for file in (*curated, *notes[::step])
        if (text := _text(file)) is not None
    ]


def _text(file: MemoryFile) -> str | None:
    try:
        data = atomic.read(file.absolute)
    except RememError:
        return None
    return None if data is None else data.decode(errors="replace")

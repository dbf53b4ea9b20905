"""Find duplicate statements: equal, nearly equal, or paraphrases of each other.

Lines that have most of their words in common but differ in numbers, names or identifiers are not
duplicates. Paraphrases are only found with an embedder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.result import DuplicateKind
from remem.admin.audit.sources import Sources
from remem.errors import EmbedderError, counted
from remem.model.host_loading import MEMORY_MD
from remem.ports.models import Embedder, Floats
from remem.text.look_alike import (
    decisive_words,
    has_substance,
    is_subsequence,
    meaning_differs,
    same_context,
    same_names,
    same_order,
    same_polarity,
    symbols_in,
)
from remem.text.similarity import SIMILAR, jaccard, overlap
from remem.text.statements import TextStatement
from remem.text.words import fold

_Key = tuple[int, frozenset[str]]
_SELF_CONTAINED_WORDS: Final = 12
_SAME_TOPIC: Final = 0.5
_MIN_COSINE: Final = 0.78
_MAX_OVERLAP: Final = 0.55
_MAX_LINES: Final = 1_500
_BATCH_SIZE: Final = 64


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two statements that say the same thing; `a` comes before `b` in the compared statements."""

    a: TextStatement
    b: TextStatement
    similarity: float
    kind: DuplicateKind


def lexical_duplicates(
    statements: Sequence[TextStatement], library: Sequence[TextStatement] = ()
) -> list[DuplicatePair]:
    """Return exact and near duplicates among statements, and between them and a library.

    The statements of the library are not compared with each other.
    """
    known = _KnownStatements()
    for statement in library:
        if has_substance(statement):
            known.add(statement)
    pairs: list[DuplicatePair] = []
    for statement in statements:
        if has_substance(statement):
            pairs += known.compare(statement)
    return pairs


class _KnownStatements:
    """The distinct statements so far, indexed by parts of their words and by their decisive words.

    The decisive words, such as numbers, are part of the key, because otherwise all items of a long
    list that differ only in a number would be compared with each other.
    """

    def __init__(self) -> None:
        self._same: dict[int, list[TextStatement]] = {}
        self._parts: dict[_Key, list[TextStatement]] = {}

    def compare(self, statement: TextStatement) -> Iterator[DuplicatePair]:
        """Yield the pairs of a known statement and this one, then add this one."""
        known = self._same.get(statement.fingerprint.same, ())
        twins = [other for other in known if same_context(other, statement)]
        if twins:  # prefer a statement that every conversation loads
            yield DuplicatePair(
                max(twins, key=lambda other: other.always_loaded), statement, 1.0, "exact"
            )
        else:
            yield from self._near_duplicates(statement)
        self.add(statement)

    def add(self, statement: TextStatement) -> None:
        known = self._same.setdefault(statement.fingerprint.same, [])
        if not any(
            other.always_loaded >= statement.always_loaded
            for other in known
            if same_context(other, statement)
        ):
            known.append(statement)
            for key in _keys(statement, statement.fingerprint.parts):
                self._parts.setdefault(key, []).append(statement)

    def _near_duplicates(self, statement: TextStatement) -> Iterator[DuplicatePair]:
        fingerprint = statement.fingerprint
        checked: set[int] = set()
        for key in _keys(statement, fingerprint.lookup_parts):
            for other in self._parts.get(key, ()):
                if id(other) in checked:
                    continue
                checked.add(id(other))
                if fingerprint.may_be_similar(other.fingerprint.size, other.fingerprint.sketch):
                    share = overlap(statement.vocabulary, other.vocabulary)
                    if share >= SIMILAR and is_near_duplicate(other, statement):
                        yield DuplicatePair(other, statement, round(min(share, 0.99), 2), "near")


def _keys(statement: TextStatement, parts: Sequence[int]) -> list[_Key]:
    fixed = decisive_words(statement.vocabulary)
    return [(part, fixed) for part in parts]


def is_near_duplicate(a: TextStatement, b: TextStatement) -> bool:
    """Return whether two statements with most words in common also say the same thing."""
    return (
        same_context(a, b)
        and not meaning_differs(a.vocabulary, b.vocabulary)
        and symbols_in(a.plain_text) == symbols_in(b.plain_text)
        and same_order(a.words, b.words)
        and a.fingerprint.same != b.fingerprint.same
    )


def redundant_lines(pairs: Iterable[DuplicatePair], sources: Sources) -> list[TextStatement]:
    """Return the lines of MEMORY.md that can be removed, because another line says the same thing.

    From each pair, only one line is removed: the later one, or else the one that says less.
    """
    removed: dict[int, TextStatement] = {}
    for pair in pairs:
        for line, original in ((pair.b, pair.a), (pair.a, pair.b)):
            if id(original) in removed or id(line) in removed:
                continue
            if line.path == MEMORY_MD and _covers(original, line, sources):
                removed[id(line)] = line
                break
    return list(removed.values())


def _covers(other: TextStatement, line: TextStatement, sources: Sources) -> bool:
    """Return whether `other`, which conversations load too, says everything that `line` says."""
    if not other.always_loaded or not is_subsequence(line.words, other.words):
        return False
    if _is_loaded(line, sources) and not _is_loaded(other, sources):
        return False
    if other.path != MEMORY_MD:
        return True
    return len(line.words) >= _SELF_CONTAINED_WORDS or _same_topic(other, line)


def _is_loaded(statement: TextStatement, sources: Sources) -> bool:
    """Return whether hosts with a size limit load a statement, too."""
    cut, host_file = sources.cuts.get(statement.path), sources.host.get(statement.path)
    if cut is None or host_file is None or cut.head == cut.tail:
        return True
    lines = host_file.text.split("\n")
    start = sum(len(line) + 1 for line in lines[: statement.start - 1])
    end = start + sum(len(line) + 1 for line in lines[statement.start - 1 : statement.end])
    return end <= cut.head or start >= cut.tail


def _same_topic(a: TextStatement, b: TextStatement) -> bool:
    """Return whether the headings of two lines are about the same thing.

    Otherwise, a short rule may be about another project.
    """
    heading_a, heading_b = ((statement.headings or ("",))[-1] for statement in (a, b))
    return fold(heading_a) == fold(heading_b) or jaccard(heading_a, heading_b) >= _SAME_TOPIC


def find_paraphrases(
    statements: Sequence[TextStatement],
    embedder: Embedder | str,
    lexical: Sequence[DuplicatePair],
    report_progress: Callable[[str], None],
) -> tuple[list[DuplicatePair], list[str]]:
    """Return the pairs of paraphrases, and notes on what was left out.

    `lexical` are pairs that were found already. If there is no embedder, `embedder` says why.
    """
    if isinstance(embedder, str):
        return [], [f"paraphrases were not checked: {embedder}"]
    candidates = [statement for statement in statements if has_substance(statement)]
    readable = [
        candidate for candidate in candidates if embedder.language_support(candidate.plain_text)
    ]
    notes = []
    if len(readable) < len(candidates):
        missing = len(candidates) - len(readable)
        lines = counted(missing, "line")
        notes.append(f"paraphrases were not checked in {lines}: unsupported writing system")
    if len(readable) > _MAX_LINES:
        notes.append(f"only the first {_MAX_LINES:,} lines were checked for paraphrases")
        readable = readable[:_MAX_LINES]
    try:
        vectors = _vectors(readable, embedder, report_progress)
    except EmbedderError as error:
        return [], [*notes, f"paraphrases were not checked: {error}"]
    lexical_pairs = {frozenset((id(pair.a), id(pair.b))) for pair in lexical}
    pairs = [
        pair
        for pair in _similar_pairs(readable, vectors)
        if frozenset((id(pair.a), id(pair.b))) not in lexical_pairs
    ]
    return pairs, notes


def _vectors(
    statements: Sequence[TextStatement], embedder: Embedder, report_progress: Callable[[str], None]
) -> list[Floats]:
    vectors: list[Floats] = []
    for start in range(0, len(statements), _BATCH_SIZE):
        report_progress(f"comparing meanings: {start} of {len(statements)}")
        batch = [statement.plain_text for statement in statements[start : start + _BATCH_SIZE]]
        vectors += [embedding.pooled for embedding in embedder.embed(batch)]
    return vectors


def _similar_pairs(
    statements: Sequence[TextStatement], vectors: Sequence[Floats]
) -> list[DuplicatePair]:
    if len(statements) < 2:
        return []
    import numpy as np  # slow to import

    matrix = np.stack(vectors)
    rows, columns = np.nonzero(np.triu(matrix @ matrix.T >= _MIN_COSINE, 1))
    pairs = []
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        a, b = statements[i], statements[j]
        if _means_the_same(a, b):
            pairs.append(DuplicatePair(a, b, round(float(matrix[i] @ matrix[j]), 2), "paraphrased"))
    return pairs


def _means_the_same(a: TextStatement, b: TextStatement) -> bool:
    return (
        same_context(a, b)
        and overlap(a.vocabulary, b.vocabulary) < _MAX_OVERLAP
        and same_names(a.plain_text, b.plain_text)
        and symbols_in(a.plain_text) == symbols_in(b.plain_text)
        and same_polarity(a.plain_text, b.plain_text)
    )

"""What is said twice? Word for word, nearly so, or (by its meaning) in other words.

Which lines of MEMORY.md can go, because a line that stays says all that they say?

What is said twice in other words? Told by the local model, where there is one.

Numbers, names and identifiers must be the same on both sides; lines that share most of their
words and still are no duplicates only look alike, and stay apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remem.admin.audit.result import Likeness
from remem.admin.audit.sources import Gathered
from remem.errors import EmbedderError
from remem.model.host_loading import MEMORY_MD
from remem.ports.models import Embedder, Floats
from remem.text.look_alike import (
    contained,
    same_context,
    same_names,
    same_order,
    signs,
    substance_differs,
    telling,
    turned_alike,
    turning,
)
from remem.text.similarity import SIMILAR, jaccard, overlap
from remem.text.statements import Statement
from remem.text.words import fold

_Key = tuple[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that say the same; `a` stands first in the list they came from."""

    a: Statement
    b: Statement
    similarity: float
    kind: Likeness


def lexical(said: Sequence[Statement], library: Sequence[Statement] = ()) -> list[Pair]:
    """Exact and near duplicates in what is said, and between that and a library, which is
    not compared with itself. A statement is only compared with those that share a part of
    its words, which all that are similar do."""
    found = _Seen()
    for statement in library:
        if telling(statement):
            found.add(statement)
    pairs: list[Pair] = []
    for statement in said:
        if telling(statement):
            pairs += found.compare(statement)
    return pairs


class _Seen:
    """What was read so far: each wording once, findable by parts of its words and its numbers.

    Without the latter a list of a thousand items that only differ in a number would be
    compared item by item.
    """

    def __init__(self) -> None:
        self._same: dict[int, list[Statement]] = {}
        self._parts: dict[_Key, list[Statement]] = {}

    def compare(self, statement: Statement) -> Iterator[Pair]:
        known = self._same.get(statement.print_.same, ())
        twins = [each for each in known if same_context(each, statement)]
        if twins:  # rather one that every conversation loads
            yield Pair(max(twins, key=lambda each: each.always), statement, 1.0, "exact")
        else:
            yield from self._near(statement)
        self.add(statement)

    def add(self, statement: Statement) -> None:
        known = self._same.setdefault(statement.print_.same, [])
        if not any(
            each.always >= statement.always for each in known if same_context(each, statement)
        ):
            known.append(statement)
            for key in _keys(statement, statement.print_.parts):
                self._parts.setdefault(key, []).append(statement)

    def _near(self, statement: Statement) -> Iterator[Pair]:
        print_ = statement.print_
        looked_at: set[int] = set()
        for key in _keys(statement, print_.sought):
            for other in self._parts.get(key, ()):
                if id(other) in looked_at:
                    continue
                looked_at.add(id(other))
                if print_.may_be_similar(other.print_.size, other.print_.sketch):
                    share = overlap(statement.vocabulary, other.vocabulary)
                    if share >= SIMILAR and near(other, statement):
                        yield Pair(other, statement, round(min(share, 0.99), 2), "near")


def _keys(statement: Statement, parts: Sequence[int]) -> list[_Key]:
    fixed = turning(statement.vocabulary)
    return [(part, fixed) for part in parts]


def near(a: Statement, b: Statement) -> bool:
    """Whether two statements that share most words also say the same."""
    return (
        same_context(a, b)
        and not substance_differs(a.vocabulary, b.vocabulary)
        and signs(a.said) == signs(b.said)
        and same_order(a.words, b.words)
        and a.print_.same != b.print_.same
    )


_SELF_CONTAINED: Final = 12
_ONE_TOPIC: Final = 0.5


def redundant(pairs: Iterable[Pair], gathered: Gathered) -> list[Statement]:
    """Of each pair the later line goes, or the one that says less; never both."""
    gone: dict[int, Statement] = {}
    for pair in pairs:
        for line, keeper in ((pair.b, pair.a), (pair.a, pair.b)):
            if id(keeper) in gone or id(line) in gone:
                continue
            if line.path == MEMORY_MD and _says_it_all(keeper, line, gathered):
                gone[id(line)] = line
                break
    return list(gone.values())


def _says_it_all(keeper: Statement, line: Statement, gathered: Gathered) -> bool:
    """Whether an agent that no longer reads the one still reads all of it in the other."""
    if not keeper.always or not contained(line.words, keeper.words):
        return False
    if _is_loaded(line, gathered) and not _is_loaded(keeper, gathered):
        return False
    if keeper.path != MEMORY_MD:
        return True
    return len(line.words) >= _SELF_CONTAINED or _one_topic(keeper, line)


def _is_loaded(statement: Statement, gathered: Gathered) -> bool:
    """Whether a host with limits still shows it."""
    cut, found = gathered.cuts.get(statement.path), gathered.host.get(statement.path)
    if cut is None or found is None or cut.head == cut.tail:
        return True
    lines = found.text.split("\n")
    start = sum(len(line) + 1 for line in lines[: statement.start - 1])
    end = start + sum(len(line) + 1 for line in lines[statement.start - 1 : statement.end])
    return end <= cut.head or start >= cut.tail


def _one_topic(a: Statement, b: Statement) -> bool:
    """Whether two lines stand under headings about the same thing: a short rule under
    another project's heading is that project's rule."""
    one, other = ((statement.headings or ("",))[-1] for statement in (a, b))
    return fold(one) == fold(other) or jaccard(one, other) >= _ONE_TOPIC


_ALIKE: Final = 0.78
_LOOK_ALIKE: Final = 0.55
_MOST: Final = 1_500
_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Meaning:
    """The pairs, and what has to be said about how they were looked for."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()


def paraphrased(
    said: Sequence[Statement],
    embedder: Embedder | str,
    known: Sequence[Pair],
    tell: Callable[[str], None],
) -> Meaning:
    """Pairs that mean the same; those that are known to be alike are not told again. In place
    of an embedder stands the reason why there is none."""
    if isinstance(embedder, str):
        return Meaning((), (f"paraphrases were not looked for: {embedder}",))
    candidates = [statement for statement in said if telling(statement)]
    legible = [candidate for candidate in candidates if embedder.reads(candidate.said)]
    notes = []
    if len(legible) < len(candidates):
        missing = len(candidates) - len(legible)
        notes.append(f"paraphrases were not looked for in {missing} lines: not the model's script")
    if len(legible) > _MOST:
        notes.append(f"paraphrases were looked for in the first {_MOST:,} lines only")
        legible = legible[:_MOST]
    try:
        vectors = _vectors(legible, embedder, tell)
    except EmbedderError as error:
        return Meaning((), (*notes, f"paraphrases were not looked for: {error}"))
    told = {frozenset((id(pair.a), id(pair.b))) for pair in known}
    pairs = [
        pair for pair in _close(legible, vectors) if frozenset((id(pair.a), id(pair.b))) not in told
    ]
    return Meaning(tuple(pairs), tuple(notes))


def _vectors(
    said: Sequence[Statement], embedder: Embedder, tell: Callable[[str], None]
) -> list[Floats]:
    vectors: list[Floats] = []
    for start in range(0, len(said), _BATCH):
        tell(f"comparing meanings: {start} of {len(said)}")
        batch = [statement.said for statement in said[start : start + _BATCH]]
        vectors += [embedding.pooled for embedding in embedder.embed(batch)]
    return vectors


def _close(said: Sequence[Statement], vectors: Sequence[Floats]) -> list[Pair]:
    if len(said) < 2:
        return []
    import numpy as np  # slow to import

    matrix = np.stack(vectors)
    rows, columns = np.nonzero(np.triu(matrix @ matrix.T >= _ALIKE, 1))
    pairs = []
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        a, b = said[i], said[j]
        if _means_the_same(a, b):
            pairs.append(Pair(a, b, round(float(matrix[i] @ matrix[j]), 2), "paraphrased"))
    return pairs


def _means_the_same(a: Statement, b: Statement) -> bool:
    return (
        same_context(a, b)
        and overlap(a.vocabulary, b.vocabulary) < _LOOK_ALIKE
        and same_names(a.said, b.said)
        and signs(a.said) == signs(b.said)
        and turned_alike(a.said, b.said)
    )

"""Which lines of MEMORY.md can go, because a line that stays says all that they say?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remem.audit.duplicates import Pair
from remem.audit.load_rules import MEMORY_MD
from remem.audit.look_alike import contained
from remem.audit.sources import Gathered
from remem.audit.statements import Statement
from remem.core.likeness import jaccard
from remem.core.words import fold

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
    one, other = ((each.headings or ("",))[-1] for each in (a, b))
    return fold(one) == fold(other) or jaccard(one, other) >= _ONE_TOPIC

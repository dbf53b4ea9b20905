"""How does the memory spell a word that it does not know? As the one that is a slip away.

The full text knows stems, not words. So every spelling that is one slip away is reduced to its
stem by the full text's own tokenizer, all at once, and those stems are looked up: what a memory
holds does not make it slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw

from remem.core.slips import one_slip_away
from remem.core.words import is_gram
from remem.stores.sqlite.keyword import quoted
from remem.stores.sqlite.rows import compact
from remem.stores.sqlite.schema import TOKENIZER

_SHORTEST: Final = 4
_LONGEST: Final = 40
_HAS: Final = "SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT 1"
_KNOWN: Final = "SELECT term FROM memory_words WHERE term IN (SELECT value FROM json_each(?))"


def spelling(connection: apsw.Connection, term: str) -> str | None:
    """A word that some entry holds, for one that none does; None where none is near."""
    folded = term.casefold()
    if not _SHORTEST <= len(folded) <= _LONGEST or is_gram(term) or not folded.isalpha():
        return None
    if next(iter(connection.execute(_HAS, [quoted(term)])), None):
        return None
    guesses = one_slip_away(folded)
    stems = _stems(connection, guesses)
    if len(stems) != len(guesses):  # letters that are newer than the tokenizer
        return None
    known = {stem for (stem,) in connection.execute(_KNOWN, [compact(list(dict.fromkeys(stems)))])}
    return next((each for each, stem in zip(guesses, stems, strict=True) if stem in known), None)


def _stems(connection: apsw.Connection, words: Sequence[str]) -> list[str]:
    """The stem of each, in one call."""
    name, *options = TOKENIZER.split()
    tokenizer = connection.fts5_tokenizer(name, options)
    tokens = tokenizer(
        " ".join(words).encode(),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return [str(each) for each in tokens]

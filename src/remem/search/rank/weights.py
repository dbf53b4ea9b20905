"""The weights of all signals.

The kind of a text selects the column of weights: an entry is a note or comes from a conversation, a
passage is a piece of a file. The weights were chosen by measurement
(docs/decisions/0019, 0028, 0032, 0034): `remem bench retrieval --without SIGNAL` measures the
effect of one signal, and `bench/held_out.py` fits the weights with one conversation held out.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from remem.errors import InvalidInput, quoted
from remem.search.rank.context import Kind

_KINDS: Final[tuple[Kind, ...]] = ("note", "talk", "agent", "diary", "passage")
_Row = tuple[float, float, float, float, float]
_WITH_MODEL: Final[dict[str, _Row]] = {
    # signal      note  talk  agent  diary  passage
    "keyword": (0.15, 0.15, 0.2, 0.2, 0.15),
    "meaning": (0.6, 0.4, 0.35, 0.35, 0.6),
    "tokens": (0.4, 0.65, 0.2, 0.2, 0.4),
    "coverage": (0.4, 0.0, 0.0, 0.0, 0.4),
    "source": (0.0, 0.4, 0.1, 0.1, 0.0),
    "answer": (0.0, 0.4, 0.0, 0.0, 0.0),
    "asks": (0.0, -0.4, 0.0, 0.0, 0.0),
    "length": (0.0, 0.3, -0.2, -0.2, 0.0),
    "brevity": (1.0, 0.0, 0.0, 0.0, 0.0),
    "when": (0.0, 1.5, 0.0, 0.0, 0.6),
    "role": (0.0, 0.0, 1.0, 1.0, 1.0),
    "person": (1.0, 1.5, 0.0, 0.0, 1.0),
    "date": (2.0, 4.0, 0.5, 0.5, 2.0),
    "category": (0.3, 0.3, 0.3, 0.3, 0.0),
    "priority": (0.1, 0.1, 0.1, 0.1, 0.1),
    "retention": (0.1, 0.1, 0.1, 0.1, 0.1),
    "strength": (0.05, 0.05, 0.05, 0.05, 0.0),
    "curated": (0.0, 0.0, 0.0, 0.0, 0.2),
    "log": (0.0, 0.0, 0.0, 0.0, -1.0),
    "project": (0.3, 0.3, 0.3, 0.3, 0.0),
    "named_project": (0.0, 0.0, 0.0, 0.0, 1.0),
    "file": (0.0, 0.0, 0.0, 0.0, 10.0),
}
_WITHOUT_TOKENS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (0.4, 0.4, 0.5, 0.4, 0.4),
    "meaning": (0.6, 0.5, 0.6, 0.6, 0.6),
    "tokens": (0.0, 0.0, 0.0, 0.0, 0.0),
    "coverage": (0.0, 0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.35, 0.1, 0.6, 0.0),
    "answer": (0.0, 0.25, 0.0, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0, 0.0),
    "length": (0.0, 0.35, -0.3, -0.2, 0.0),
    "role": (0.0, 0.0, 1.5, 1.0, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5, 2.0),
}
_WITHOUT_MODEL: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (1.0, 0.6, 1.0, 1.0, 0.4),
    "meaning": (0.0, 0.0, 0.0, 0.0, 0.0),
    "tokens": (0.0, 0.0, 0.0, 0.0, 0.0),
    "coverage": (0.0, 0.0, 0.0, 0.0, 0.6),
    "source": (0.0, 0.4, 0.2, 0.6, 0.0),
    "answer": (0.0, 0.25, 0.0, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0, 0.0),
    "length": (0.0, 0.2, -0.8, -0.2, 0.0),
    "role": (0.0, 0.0, 2.0, 1.0, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5, 2.0),
}
SIGNALS: Final = (*_WITH_MODEL, "rerank", "current", "unclear")
"""The last three are added to ranked results, in `reranking`, `currency` and `clarity`."""
_RETRIEVAL: Final = frozenset({"keyword", "meaning", "tokens", "coverage"})


def weights_for(
    *,
    model: bool,
    late_interaction: bool = True,
    excluded_signals: Collection[str] = frozenset(),
) -> dict[Kind, dict[str, float]]:
    """Return the weights of the signals for each kind of text.

    `model` says whether there are vectors, `late_interaction` whether there are token vectors too.
    """
    table = _WITH_MODEL if late_interaction else _WITHOUT_TOKENS
    if not model:
        table = _WITHOUT_MODEL
    return {
        kind: {
            name: row[i] for name, row in table.items() if row[i] and name not in excluded_signals
        }
        for i, kind in enumerate(_KINDS)
    }


def weights_by_scores(
    scores_present: Collection[tuple[bool, bool]], excluded_signals: Collection[str]
) -> dict[tuple[bool, bool], dict[Kind, dict[str, float]]]:
    """Return the weights for texts with and without vectors and token vectors.

    `scores_present` are the combinations that occur: has a text a vector, and has it token vectors.
    In a list in which some texts have vectors, the others differ only in the weights of their
    retrieval scores.
    """
    tables = {
        (model, tokens): weights_for(
            model=model, late_interaction=tokens, excluded_signals=excluded_signals
        )
        for model, tokens in scores_present
    }
    best = tables[max(scores_present)]
    return {
        scores: {
            kind: {
                **{name: value for name, value in best[kind].items() if name not in _RETRIEVAL},
                **{name: value for name, value in weights.items() if name in _RETRIEVAL},
            }
            for kind, weights in table.items()
        }
        for scores, table in tables.items()
    }


def require_signals(names: Collection[str]) -> None:
    """Raise InvalidInput if a name is not that of a signal."""
    for name in names:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise InvalidInput(f"unknown signal {quoted(name)}", hint=f"signals: {known}")

"""What does each signal count? One table; the kind of a memory's company chooses the column.

Every weight was measured (docs/decisions/0019, 0028, 0032, 0034). `remem bench retrieval --without
SIGNAL` measures it again, and `scripts/held_out.py` which ones a conversation gets from others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal

from remem.errors import InvalidInput, shown

Kind = Literal["note", "talk", "agent", "diary"]
"""note: stands for itself. talk: said among people. agent: said to or by an assistant. diary: one
person's words where no assistant speaks."""

_KINDS: Final[tuple[Kind, ...]] = ("note", "talk", "agent", "diary")
_Row = tuple[float, float, float, float]
_WITH_MODEL: Final[dict[str, _Row]] = {
    # signal      note  talk  agent  diary
    "keyword": (0.15, 0.15, 0.2, 0.2),
    "meaning": (0.6, 0.4, 0.35, 0.35),
    "tokens": (0.6, 0.65, 0.2, 0.2),
    "source": (0.0, 0.4, 0.1, 0.1),
    "answer": (0.0, 0.4, 0.0, 0.0),
    "asks": (0.0, -0.4, 0.0, 0.0),
    "length": (0.0, 0.3, -0.2, -0.2),
    "brevity": (1.0, 0.0, 0.0, 0.0),
    "when": (0.0, 1.5, 0.0, 0.0),
    "role": (0.0, 0.0, 1.0, 1.0),
    "person": (1.0, 1.5, 0.0, 0.0),
    "date": (2.0, 4.0, 0.5, 0.5),
    "category": (0.3, 0.3, 0.3, 0.3),
    "priority": (0.1, 0.1, 0.1, 0.1),
    "retention": (0.1, 0.1, 0.1, 0.1),
    "strength": (0.05, 0.05, 0.05, 0.05),
}
_WITHOUT_TOKENS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (0.4, 0.4, 0.5, 0.4),
    "meaning": (0.6, 0.5, 0.6, 0.6),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.35, 0.1, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.35, -0.3, -0.2),
    "role": (0.0, 0.0, 1.5, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
_BY_WORDS: Final[dict[str, _Row]] = {
    **_WITH_MODEL,
    "keyword": (1.0, 0.6, 1.0, 1.0),
    "meaning": (0.0, 0.0, 0.0, 0.0),
    "tokens": (0.0, 0.0, 0.0, 0.0),
    "source": (0.0, 0.4, 0.2, 0.6),
    "answer": (0.0, 0.25, 0.0, 0.0),
    "asks": (0.0, -0.2, 0.0, 0.0),
    "length": (0.0, 0.2, -0.8, -0.2),
    "role": (0.0, 0.0, 2.0, 1.0),
    "date": (2.0, 3.0, 0.5, 0.5),
}
SIGNALS: Final = tuple(_WITH_MODEL)

Weights = Mapping[str, float]


def weights_for(
    *, model: bool, tokens: bool = True, without: Collection[str] = frozenset()
) -> dict[Kind, dict[str, float]]:
    """The weights of each kind of memory; `model` says whether one took part, and `tokens`
    whether it has vectors of single words."""
    table = (_WITH_MODEL if tokens else _WITHOUT_TOKENS) if model else _BY_WORDS
    return {
        kind: {name: row[i] for name, row in table.items() if row[i] and name not in without}
        for i, kind in enumerate(_KINDS)
    }


def require_signals(names: Collection[str]) -> None:
    for name in names:
        if name not in SIGNALS:
            known = ", ".join(SIGNALS)
            raise InvalidInput(f"no signal is called {shown(name)}", hint=f"known: {known}")

"""Which statements take others back? Where dates decide, the later one replaces the earlier.

A note never replaces what stands in the owner's own files: that is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.audit import statements as audited
from remem.core.clashes import contradictions
from remem.core.entry import Trust
from remem.maintenance.migrate.account import Reversal, Said
from remem.ports import Transaction
from remem.remember.run import supersede

_NO_DATES: Final = "no dates decide; say which one stands"
_NOT_ITS_PLACE: Final = "a note does not overrule the owner's own file; say which one stands"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that is in an entry; `day` only where the text itself gives it."""

    said: Said
    words: str
    headings: tuple[str, ...]
    trust: Trust


def find_reversals(claims: Sequence[Claim]) -> list[Reversal]:
    places = {(each.said.path, each.said.line): each for each in claims}
    found: list[Reversal] = []
    for clash in contradictions([_audited(each) for each in claims]):
        one, other = (places[each.path, each.start] for each in (clash.a, clash.b))
        if one.said.id is None or one.said.id != other.said.id:
            found.append(_judged(one, other, clash.rule))
    return sorted(found, key=lambda each: (each.earlier.path, each.earlier.line, each.later.line))


def supersede_decided(
    reversals: Sequence[Reversal], now: str, topics: Sequence[str]
) -> Callable[[Transaction], None]:
    """Each earlier statement is replaced by the latest that took it back."""
    latest: dict[str, Said] = {}
    for each in reversals:
        if each.decided and each.earlier.id and each.later.id:
            last = latest.get(each.earlier.id)
            if last is None or (each.later.day or "") > (last.day or ""):
                latest[each.earlier.id] = each.later

    def operation(tx: Transaction) -> None:
        by_later: dict[str, list[str]] = defaultdict(list)
        for id_, located in tx.by_ids(list(latest)).items():
            later = latest[id_].id
            if later and located.entry.superseded_by is None and not located.entry.archived:
                by_later[later].append(id_)
        for later, ids in by_later.items():
            supersede(tx, ids, later, now, topics)

    return operation


def _judged(one: Claim, other: Claim, rule: str) -> Reversal:
    first, second = sorted((one, other), key=lambda each: each.said.day or "")
    dated = first.said.day is not None and first.said.day != second.said.day
    allowed = second.trust == "owner" or first.trust != "owner"
    why = f"{second.said.day} is later" if dated and allowed else _NO_DATES
    if dated and not allowed:
        why = _NOT_ITS_PLACE
    return Reversal(first.said, second.said, rule, dated and allowed, why)


def _audited(claim: Claim) -> audited.Statement:
    said = claim.said
    return audited.Statement(
        path=said.path,
        start=said.line,
        end=said.line,
        text=claim.words,
        said=audited.clean(claim.words),
        kind="bullet",
        headings=claim.headings,
        parent=None,
        leaf=True,
        always=False,
    )

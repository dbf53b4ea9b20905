"""Erasures that a kill may cut short: noted with the first step, so that the next open of the
scope can take the others."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Final

from remem.errors import StoreDamaged
from remem.ports import Snapshot, Transaction

_KEY: Final = "unfinished erasures"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """One erasure. `texts` are needed to find the words in copies of files; they are dropped as
    soon as the copies are clean, before the database is scrubbed. `entity` is set for a fact."""

    id: str
    texts: tuple[str, ...] = ()
    entity: str | None = None


def unfinished(snapshot: Snapshot | Transaction) -> list[Unfinished]:
    try:
        noted = json.loads(snapshot.note(_KEY) or "[]")
        return [Unfinished(each["id"], tuple(each["texts"]), each["entity"]) for each in noted]
    except (ValueError, TypeError, KeyError) as error:
        raise StoreDamaged(
            f"the list of unfinished erasures is damaged: {error}",
            hint="erase what you erased last once more",
        ) from error


def begin(tx: Transaction, erasure: Unfinished) -> None:
    """In the transaction that removes the rows."""
    _keep(tx, [*_others(tx, erasure.id), erasure])


def forget_texts(tx: Transaction, id_: str) -> None:
    """No copy of a file holds the words any more; what is left is to scrub the database."""
    _keep(tx, [each if each.id != id_ else replace(each, texts=()) for each in unfinished(tx)])


def finish(tx: Transaction, id_: str) -> None:
    _keep(tx, _others(tx, id_))


def _others(tx: Transaction, id_: str) -> list[Unfinished]:
    return [each for each in unfinished(tx) if each.id != id_]


def _keep(tx: Transaction, erasures: list[Unfinished]) -> None:
    tx.keep_note(_KEY, json.dumps([asdict(each) for each in erasures]))

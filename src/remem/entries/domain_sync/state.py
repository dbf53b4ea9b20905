"""What did we last write to a file? Kept in the store, so that a kill cannot confuse it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from remem.notes import files
from remem.notes.signatures import Signature
from remem.ports import Projected, Store, Transaction

NOTHING: Final = Projected("", {})
_INTENT: Final = "writing "
_LOOK: Final = "look of "
_EARLIER: Final = "earlier "
_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Books:
    """The entries of the outbox and of what has been projected, file by file."""

    store: Store

    def known(self, mark: str, now: bytes | None) -> tuple[Projected, int]:
        """What we last wrote to a file, and up to which change it is due.

        A kill between writing a file and noting it leaves the intent: if the file has those
        bytes, they are ours, however often the store has changed since.
        """
        with self.store.read() as snapshot:
            upto = max((each.seq for each in snapshot.outbox() if each.file == mark), default=0)
            intent = _parsed(snapshot.note(_INTENT + mark))
            known = snapshot.projected(mark) or NOTHING
        if intent and now is not None and files.digest(now) == intent["digest"]:
            known = Projected(**intent)
        return known, upto

    def ground(
        self, mark: str, known: Projected, ground: str | None, *others: Projected
    ) -> Mapping[str, str]:
        """The items of the write that a person edited; of the last one if it is not known."""
        from remem.notes.domain_stamp import ground_of

        with self.store.read() as snapshot:
            earlier: list[dict[str, str]] = _parsed(snapshot.note(_EARLIER + mark)) or []
        for items in (known.items, *(each.items for each in others), *earlier):
            if ground is not None and ground_of(items) == ground:
                return items
        return known.items

    def seen(self) -> dict[str, Signature]:
        """How each file looked when it was last known to hold what we wrote."""
        with self.store.read() as snapshot:
            notes = snapshot.notes(_LOOK)
        looks = {mark: _parsed(note) for mark, note in notes.items()}
        return {mark: (one[0], one[1], one[2], one[3]) for mark, one in looks.items() if one}

    def digests(self) -> frozenset[str]:
        """Of what we last wrote to files, and of what we were about to write."""
        with self.store.read() as snapshot:
            written = [snapshot.projected(mark) for mark in snapshot.projected_files()]
            intents = [_parsed(note) for note in snapshot.notes(_INTENT).values()]
        return frozenset(
            {each.digest for each in written if each}
            | {each["digest"] for each in intents if isinstance(each, dict)}
        )

    def see(self, mark: str, look: Signature) -> None:
        """Kept so that the next open need not read every file; nobody waits for it."""
        self.store.write_later(lambda tx: tx.keep_note(_LOOK + mark, json.dumps(look)))

    def intend(self, mark: str, text: bytes, items: Mapping[str, str]) -> None:
        intent = json.dumps({"digest": files.digest(text), "items": dict(items)})
        self.store.write(lambda tx: tx.keep_note(_INTENT + mark, intent))

    def written(self, mark: str, upto: int, text: bytes, items: Mapping[str, str]) -> None:
        digest = files.digest(text)
        with self.store.read() as snapshot:
            known = snapshot.projected(mark)
            waiting = any(each.file == mark for each in snapshot.outbox())
        if not waiting and known == Projected(digest, dict(items)):
            return

        def operation(tx: Transaction) -> None:
            earlier = _parsed(tx.note(_EARLIER + mark)) or []
            if items and dict(items) not in earlier:
                tx.keep_note(_EARLIER + mark, json.dumps([dict(items), *earlier[: _KEPT - 1]]))
            tx.written(mark, upto, digest, items)
            tx.keep_note(_INTENT + mark, "null")

        self.store.write(operation)


def _parsed(note: str | None) -> Any:
    """What a note says; a damaged one says nothing, which loses nobody's bytes."""
    try:
        return json.loads(note or "null")
    except ValueError:
        return None

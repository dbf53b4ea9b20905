"""What can be done with a memory? The façade: one line per ability, bound to one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Unpack

from remem.audit import Status, Surroundings, status
from remem.config import Config
from remem.core.entry import TRUSTS, Entry, Trust, Version, lower_trust
from remem.core.moments import moment
from remem.core.scope import Scope, Session
from remem.core.values import one_of
from remem.disclosure.index import Index, make_index
from remem.errors import NotAllowed, UnknownEntry, shown
from remem.maintenance import lifecycle, portable
from remem.maintenance.initialise import claim
from remem.maintenance.portable_line import check_lines, read_lines
from remem.maintenance.projector import Projector
from remem.maintenance.rebuild import Rebuilt, rebuild, restore_from_files
from remem.maintenance.upkeep import Upkeep
from remem.notes.layout import Layout
from remem.ports import Clock, Embedder, Store, TokenCounter, Transaction
from remem.recall import Answer, Recall, Wishes, request
from remem.remember import Memory, Receipt, Remembering, draft, remember

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Parts:
    """What a workspace is made of; wiring chooses each of them."""

    layout: Layout
    session: Session
    scope: Scope
    config: Config
    store: Store
    counter: TokenCounter
    embedders: tuple[Embedder, ...]
    without_model: str | None
    clock: Clock
    random_bytes: Callable[[int], bytes]
    trust: Trust
    schema: int
    background: bool


class Workspace:
    """A memory, opened for one session. Close it, or use it in a `with` block."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._closed = False
        self._store = parts.store
        self._now = parts.clock
        self._how = Remembering(parts.counter, parts.config.topics, parts.random_bytes)
        self._recall = Recall(
            parts.store,
            parts.counter,
            parts.embedders,
            parts.without_model,
            parts.random_bytes,
            parts.clock,
        )
        files = Projector(
            parts.store,
            parts.layout,
            parts.scope,
            self._how,
            parts.clock,
            parts.config.index_tokens,
        )
        self._upkeep = Upkeep(
            parts.store,
            files,
            parts.embedders,
            parts.clock,
            parts.config.topics,
            parts.background,
        )
        self._closed = False
        claim(parts.store, parts.scope)
        self._upkeep.start()

    @property
    def session(self) -> Session:
        return self._parts.session

    @property
    def scope(self) -> Scope:
        return self._parts.scope

    def store(self, **memory: Unpack[Memory]) -> Receipt:
        """Keep one memory; when this returns, it survives a power cut."""
        receipt = self._store.write(self._remembering(memory, self._now()))
        self._upkeep.after_write()
        return receipt

    def store_many(
        self,
        memories: Iterable[Memory],
        progress: Callable[[int], None] = lambda _done: None,
    ) -> list[Receipt]:
        """Keep many memories, some hundred in one durable step; safe to repeat after a kill."""
        source = iter(memories)
        receipts: list[Receipt] = []
        while batch := list(islice(source, _BATCH)):
            now = self._now()
            operations = [self._remembering(memory, now) for memory in batch]
            receipts += self._store.write(_all_of(operations))
            progress(len(receipts))
        self._upkeep.after_write()
        return receipts

    def recall(
        self, query: str = "", *, now: str | None = None, **wishes: Unpack[Wishes]
    ) -> Answer:
        """What the memory holds on a question, best first, within the token budget.

        Without a question, a filter lists what it admits, the most important first. `now`
        only anchors relative dates such as "last week".
        """
        asked = request(query, wishes)
        when = moment(now, "now") if now else self._now()
        self._upkeep.before_recall()
        return self._recall(asked, when)

    def index(self) -> Index:
        """The small text that belongs into every conversation."""
        self._upkeep.before_read()
        with self._store.read() as snapshot:
            return make_index(snapshot, self._parts.counter, self._parts.config.index_tokens)

    def status(self) -> Status:
        """What the memory holds, what it costs, and what is degraded."""
        around = Surroundings(
            layout=self._parts.layout,
            scope=self.scope,
            counter=self._parts.counter,
            always_loaded=self.index().tokens,
            trouble=self.trouble,
            schema=self._parts.schema,
        )
        return status(self._store, around)

    def entry(self, id_: str) -> Entry:
        with self._store.read() as snapshot:
            found = snapshot.find([id_])
        if not found:
            raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
        return found[0]

    def history(self, id_: str) -> list[Version]:
        """Every wording an entry has had, the first one first."""
        self.entry(id_)
        with self._store.read() as snapshot:
            return snapshot.history(id_)

    def export(self) -> Iterator[str]:
        """Every entry with its history, one JSON line each."""
        self._upkeep.before_read()
        with self._store.read() as snapshot:
            yield from portable.export_lines(snapshot)

    def import_lines(
        self,
        lines: Callable[[], Iterable[bytes]],
        *,
        trust: str | None = None,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> portable.Imported:
        """Read lines of `export`, or plain memories. All are checked before one is stored."""
        allowed = self._parts.trust if trust is None else _lowered(self._parts.trust, trust)
        now = self._now()
        check_lines(read_lines(lines(), allowed, now), self._store)
        items = (item for _, item in read_lines(lines(), allowed, now))
        imported = portable.import_items(self._store, items, self._how, now, progress)
        self._upkeep.after_write()
        return imported

    def review(self) -> list[Entry]:
        """What strangers said and the owner has not confirmed."""
        self._owner_only()
        with self._store.read() as snapshot:
            return snapshot.untrusted()

    def confirm(self, id_: str) -> Entry:
        """Make an untrusted entry the owner's own."""
        return self._judge(lifecycle.confirm, id_)

    def dismiss(self, id_: str) -> Entry:
        """Archive an untrusted entry."""
        return self._judge(lifecycle.dismiss, id_)

    def rebuild(self, progress: Callable[[str], None] = lambda _step: None) -> Rebuilt:
        """Drop every projection of this scope and make it anew from the entries."""
        self._upkeep.files.catch_up()
        done = rebuild(self._store, self._how.topics, progress)
        self._upkeep.after_rebuild()
        return done

    def restore_from_files(self) -> Rebuilt:
        """Bring back the entries of a lost database from the domain files."""
        done = restore_from_files(
            self._store, self._parts.layout, self.scope, self._how, self._now()
        )
        self._upkeep.after_rebuild()
        return done

    def write_files(self) -> None:
        """Wait until every file says what the store says."""
        self._upkeep.files.catch_up()

    def embed_pending(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Make every missing vector now."""
        return self._upkeep.embed_pending(progress)

    @property
    def trouble(self) -> list[str]:
        """What does not work at present, and why; empty when all is well."""
        chosen = self._parts.config.embedder == "none"
        without = None if chosen else self._parts.without_model
        return [*self._upkeep.trouble(), *([f"keyword only: {without}"] if without else [])]

    def close(self) -> None:
        """Finish what is under way; what is not finished is done on the next open."""
        if self._closed:
            return
        self._closed = True
        try:
            self._upkeep.close()
        finally:
            self._store.close()
            for embedder in self._parts.embedders:
                embedder.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _remembering(self, memory: Memory, now: str) -> Callable[[Transaction], Receipt]:
        return remember(draft(memory, self._parts.trust, now), now, self._how)

    def _judge(self, verdict: Callable[..., Entry], id_: str) -> Entry:
        self._owner_only()
        now, topics = self._now(), self._how.topics
        entry = self._store.write(lambda tx: verdict(tx, id_, now, topics))
        self._upkeep.after_write()
        return entry

    def _owner_only(self) -> None:
        if self._parts.trust != "owner":
            raise NotAllowed("only the owner reviews memory", hint="use `remem review`")


def _all_of(
    operations: Sequence[Callable[[Transaction], Receipt]],
) -> Callable[[Transaction], list[Receipt]]:
    return lambda tx: [each(tx) for each in operations]


def _lowered(allowed: Trust, asked: str) -> Trust:
    return lower_trust(allowed, one_of(asked, TRUSTS, "trust"))

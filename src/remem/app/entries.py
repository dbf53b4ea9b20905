"""Operations on entries: store, recall, review, history, export and import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Unpack

from remem.app.parts import Opened
from remem.entries import lifecycle
from remem.errors import (
    DiskFull,
    FileError,
    NotAllowed,
    StoreBusy,
    StoreReadOnly,
    UnknownEntry,
    shown,
)
from remem.files.memory_files import has_facts
from remem.model.arguments import one_of
from remem.model.entry import TRUSTS, Entry, Origin, Version, is_entry_id
from remem.model.scope import MAIN
from remem.text.timestamps import normalize_time

if TYPE_CHECKING:
    from remem.entries.draft import Memory
    from remem.entries.index import Index
    from remem.entries.receipt import Receipt
    from remem.entries.store import StoreOperation
    from remem.entries.transfer import ImportReport
    from remem.files.facts import FactFiles, KnownFacts
    from remem.search.answer.answer import Answer
    from remem.search.query.question import RecallOptions
    from remem.search.recall import Recall

_BULK: Final = Origin("store_many")


class Entries(Opened):
    """The structured memory of one session."""

    @cached_property
    def _recall(self) -> Recall:
        """Created for the first question: storing and reading files do not need it."""
        from remem.search.passages.search import MODEL_TIMEOUT_SECONDS, PassageSearch
        from remem.search.query.embedding import QueryEmbedder, TimeLimit
        from remem.search.recall import Recall

        parts = self._parts
        model = QueryEmbedder(parts.embedders, parts.without_model, parts.standby)
        return Recall(
            parts.store,
            PassageSearch(
                parts.passages,
                model,
                TimeLimit(MODEL_TIMEOUT_SECONDS),
                self._freshness.before_search,
            ),
            parts.counter,
            model,
            parts.random_bytes,
            self._usage_log,
            parts.without_signals,
            self._known_facts if parts.scope == MAIN else None,
            transcripts=str(parts.scope) in parts.config.transcripts,
        )

    @cached_property
    def _facts(self) -> FactFiles:
        from remem.files.facts import FactFiles

        return FactFiles(self._parts.layout)

    def _known_facts(self) -> KnownFacts | None:
        """None where no file could hold one: then nothing of this is loaded."""
        return self._facts() if has_facts(self._parts.layout) else None

    def store(self, *, keep_secrets: bool = False, **memory: Unpack[Memory]) -> Receipt:
        """Keep one memory; when this returns, it survives a power cut.

        Secrets are masked, unless the owner asks for `keep_secrets` in main.
        """
        if keep_secrets:
            self._require_may_keep()
        now = self._now()
        try:
            receipt = self._store.write(self._remembering(memory, now, keep_secrets))
        except UnknownEntry as error:
            named = (*(memory.get("supersedes") or ()), *(memory.get("related_to") or ()))
            raise self._explained(error, named) from None
        self._upkeep.after_write()
        return self._with_hint(receipt)

    def _require_may_keep(self) -> None:
        if self.scope != MAIN or self._parts.trust != "owner":
            raise NotAllowed(
                "only the owner stores secrets as they are, and only in main",
                hint="use `remem store --keep`, without --session",
            )

    def _with_hint(self, receipt: Receipt) -> Receipt:
        """In main, how the owner can have what was masked."""
        if not receipt.redacted or self.scope != MAIN:
            return receipt
        masked = ", ".join(receipt.redacted)
        return replace(
            receipt,
            hint=f"masked: {masked}; to keep it readable, the owner stores it again with "
            f"`remem store --keep --supersedes {receipt.id}`",
        )

    def _kept_kinds(self) -> tuple[str, ...]:
        """What the owner's setting exempts from masking where they store something themselves."""
        owner = self.scope == MAIN and self._parts.trust == "owner"
        return ("code",) if owner and self._parts.config.keep_codes else ()

    def store_many(
        self,
        memories: Iterable[Memory],
        progress: Callable[[int], None] = lambda _done: None,
    ) -> list[Receipt]:
        """Keep many memories, up to thousands in one durable step; safe to repeat after a kill.

        Those that name no origin have the call itself as theirs: doing it again adds nothing.
        """
        from remem.entries.draft import batches, make_draft
        from remem.entries.store import store_all_operation

        receipts: list[Receipt] = []
        for batch in batches(memories, _length):
            now = self._now()
            kept = self._kept_kinds()
            drafts = [
                make_draft(_placed(memory), self._parts.trust, now, keep=kept) for memory in batch
            ]
            operation = store_all_operation(drafts, now, self._how)
            receipts += map(self._with_hint, self._store.write(operation))
            progress(len(receipts))
        self._upkeep.after_write()
        return receipts

    def recall(
        self, query: str = "", *, now: str | None = None, **wishes: Unpack[RecallOptions]
    ) -> Answer:
        """What the memory holds on a question, best first, within the token budget.

        Without a question, a filter lists what it admits, the most important first. `now`
        only anchors relative dates such as "last week".
        """
        from remem.search.query.question import parse_request

        asked = parse_request(query, wishes)
        self._gate_guard.require()
        when = normalize_time(now, "now") if now else self._now()
        return self._recall(asked, when, lambda: self._up_to_date(query))

    def _up_to_date(self, query: str) -> str | None:
        """Why not, if it could not be done."""
        self._upkeep.before_recall()
        self._bring_back(query)
        return self._freshness.before_search() or self._upkeep.behind

    def index(self) -> Index:
        """The small text that belongs into every conversation."""
        from remem.entries.index import make_index

        self._upkeep.before_read()
        with self._store.read() as snapshot:
            return make_index(snapshot, self._parts.counter, self._parts.config.index_tokens)

    def entry(self, id_: str) -> Entry:
        with self._store.read() as snapshot:
            found = snapshot.find([id_])
        if not found:
            unknown = f"no entry has the id {shown(id_)}"
            raise self._explained(UnknownEntry(unknown, hint="`remem recall` shows ids"), [id_])
        return found[0]

    def _explained(self, error: UnknownEntry, ids: Iterable[str]) -> UnknownEntry:
        """Recall tells facts by their ids too: who takes one for an entry's hears what it is."""
        known = self._known_facts() if self.scope == MAIN else None
        facts = {fact.id for fact in known.facts} if known else frozenset[str]()
        named = next((id_ for id_ in ids if id_ in facts), None)
        if named is None:
            return error
        return UnknownEntry(
            f"{shown(named)} is a fact, and no entry",
            hint=f"a fact neither fades nor is archived: `remem fact supersede {named}`, or "
            "memory_fact of the full profile, says what is so instead",
        )

    def history(self, id_: str) -> list[Version]:
        """Every wording an entry has had, the first one first."""
        self.entry(id_)
        with self._store.read() as snapshot:
            return snapshot.history(id_)

    def export(self) -> Iterator[str]:
        """Every entry with its history, one JSON line each, as of one moment.

        Each line carries a proof, by which this workspace recognises it when it is imported;
        `without_proof` says why not, if they do not.
        """
        from remem.entries.transfer import export_lines

        self._upkeep.before_read()
        key = self._signing_key()
        yield from export_lines(self._store, key if isinstance(key, bytes) else None)

    def without_proof(self) -> str | None:
        """Why the lines of an export carry no proof, if they do not."""
        key = self._signing_key()
        return key if isinstance(key, str) else None

    def _signing_key(self) -> bytes | str:
        """The scope's key for exports; or why there is none, which must not stop an export."""
        from remem.files.workspace_key import read_or_create

        try:
            return self._export_key(read_or_create(self._parts.layout))
        except (StoreReadOnly, DiskFull, FileError) as error:
            return str(error)

    def import_lines(
        self,
        lines: Callable[[], Iterable[bytes]],
        *,
        trust: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> ImportReport:
        """Read lines of `export`, or plain memories. All are checked before one is stored.

        What was exported here comes back as it was. Anything else gets the agent's trust, and
        waits in review where it is an instruction or critical; with `trust="owner"` the owner
        vouches for the file, and a lower trust counts for every line. A dry run does the same on
        a copy of the record.
        """
        from remem.entries.import_rules import ImportRules
        from remem.entries.transfer import import_items, spooled
        from remem.entries.transfer_line import read_lines
        from remem.files.workspace_key import read

        asked = None if trust is None else one_of(trust, TRUSTS, "trust")
        key = read(self._parts.layout)
        rules = ImportRules(self._parts.trust, asked, key and self._export_key(key), self._now())
        checked = spooled(read_lines(lines(), rules, self._store))
        if dry_run:
            with self._parts.copied_record() as copy:
                return import_items(copy, checked, self._how, rules, progress)
        imported = import_items(self._store, checked, self._how, rules, progress)
        self._upkeep.after_write()
        return imported

    def _export_key(self, key: bytes) -> bytes:
        """Of this scope alone: what one scope has exported is foreign in every other."""
        from remem.entries.import_rules import EXPORT_KEY_PURPOSE
        from remem.files.workspace_key import derived_key

        return derived_key(key, EXPORT_KEY_PURPOSE, str(self.scope))

    def review(self) -> list[Entry]:
        """What strangers said and the owner has not confirmed, each with the category and
        priority that confirming it would give it."""
        from remem.entries.receipt import as_intended

        self._owner_only("reviews memory", "remem review")
        with self._store.read() as snapshot:
            return [as_intended(snapshot, entry) for entry in snapshot.untrusted()]

    def confirm(self, id_: str) -> Entry:
        """Make an untrusted entry the owner's own."""
        return self._judge(lifecycle.confirm, id_)

    def dismiss(self, id_: str) -> Entry:
        """Archive an untrusted entry."""
        return self._judge(lifecycle.dismiss, id_)

    def _remembering(self, memory: Memory, now: str, keep_secrets: bool) -> StoreOperation:
        from remem.entries.draft import make_draft
        from remem.entries.store import store_operation

        trust, kept = self._parts.trust, self._kept_kinds()
        if keep_secrets:
            checked = make_draft(memory, trust, now, mask_secrets=False)
        else:
            checked = make_draft(memory, trust, now, keep=kept)
        return store_operation(checked, now, self._how)

    def _bring_back(self, query: str) -> None:
        """Restore faded entries that were read by their ids."""
        ids = query.replace(",", " ").split()
        if not (ids and self._store.writable and all(map(is_entry_id, ids))):
            return
        with self._store.read() as snapshot:
            rows = [value.row for value in snapshot.by_ids(ids).values()]
            if not snapshot.faded(rows):
                return
        from remem.entries.reinforcement import revive_read  # few memories fade

        now, topics = self._now(), self._how.topics
        # While another program holds the database, the entry is only read, and restored later.
        with suppress(StoreBusy), self._store.without_waiting():
            self._store.write(lambda tx: revive_read(tx, ids, now, topics))
            self._upkeep.after_write()

    def _judge(self, verdict: Callable[..., Entry], id_: str) -> Entry:
        self._owner_only("reviews memory", "remem review")
        now, topics = self._now(), self._how.topics
        entry = self._store.write(lambda tx: verdict(tx, id_, now, topics))
        self._upkeep.after_write()
        return entry


def _length(memory: Memory) -> int:
    content = memory.get("content")
    return len(content) if isinstance(content, str) else 0


def _placed(memory: Memory) -> Memory:
    return memory if memory.get("origin") else {**memory, "origin": _BULK}

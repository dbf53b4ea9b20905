"""Operations on single entries: store, read, review, forget and reinforce."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from remem.app.context import SessionContext
from remem.entries import lifecycle
from remem.entries.lifecycle import ForgetReport, ReinforceReport
from remem.entries.receipt import Receipt, as_intended
from remem.entries.sync import Sync
from remem.entries.written_index import IndexText, made_by, read_written_index
from remem.errors import InvalidInput, StoreError, UnknownEntry, quoted
from remem.fast_dataclass import dataclass
from remem.model.arguments import MAX_ROWS, meant_id, whole_number
from remem.model.domain_routing import UNTRUSTED
from remem.model.entry import TRUSTS, Entry, Origin, Version, granted_trust, is_entry_id
from remem.model.project import with_project
from remem.ports import StoreDependencies
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Where
from remem.text.similarity import folded_hash

if TYPE_CHECKING:
    from remem.entries.draft import Memory
    from remem.entries.edit import EntryChanges
    from remem.entries.index import Index
    from remem.files.facts import KnownFacts

_BULK: Final = Origin("store_many")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntryService:
    """Stores and changes the entries of one scope.

    `known_facts` returns the facts, to recognise an id that names a fact instead of an entry.
    """

    context: SessionContext
    store: Store
    sync: Sync
    deps: StoreDependencies
    known_facts: Callable[[], KnownFacts | None]

    def add(self, memory: Memory, *, keep_secrets: bool = False) -> Receipt:
        """Store one memory; secrets are masked unless `keep_secrets` is set."""
        from remem.entries.draft import make_draft  # not needed by reading commands
        from remem.entries.store import store_operation

        if keep_secrets:
            self.context.require_secret_keeper("remem store")
        now = self.context.now()
        granted_trust(self.context.trust, memory.get("trust"))
        draft = make_draft(
            self._of_project(memory),
            self.context.trust,
            now,
            keep=() if keep_secrets else self._unmasked_kinds(),
            mask_secrets=not keep_secrets,
        )
        try:
            receipt = self.store.write(store_operation(draft, now, self.deps))
        except UnknownEntry as error:
            ids = (*(memory.get("supersedes") or ()), *(memory.get("related_to") or ()))
            raise self._with_explanation(error, ids) from None
        self.sync.after_write()
        return self._with_hint(receipt)

    def add_many(
        self, memories: Iterable[Memory], progress: Callable[[int], None]
    ) -> list[Receipt]:
        """Store many memories in batches, each in one transaction.

        Memories without an origin get the same origin, so that repeating the call adds nothing.
        """
        from remem.entries.draft import batches, make_draft
        from remem.entries.store import store_all_operation

        receipts: list[Receipt] = []
        for batch in batches(memories, _length):
            now = self.context.now()
            trust, keep = self.context.trust, self._unmasked_kinds()
            for memory in batch:
                granted_trust(trust, memory.get("trust"))
            drafts = [
                make_draft(self._of_project(_with_origin(memory)), trust, now, keep=keep)
                for memory in batch
            ]
            operation = store_all_operation(drafts, now, self.deps)
            receipts += map(self._with_hint, self.store.write(operation))
            progress(len(receipts))
        self.sync.after_write()
        return receipts

    def refuse_erased(self, *texts: str) -> None:
        """Raise an error if the owner has erased one of these texts, which is not stored again."""
        from remem.text.secrets.mask import redact

        with self.store.read() as snapshot:
            erased = {tombstone.wording_hash for tombstone in snapshot.tombstones()}
        for text in texts if erased else ():
            masked = redact(text).text
            if folded_hash(masked) in erased:
                raise InvalidInput(
                    f"the owner has erased {quoted(masked)}",
                    hint="leave it out; nothing was stored",
                )

    def find(self, id_: str) -> Entry:
        id_ = meant_id(id_)
        with self.store.read() as snapshot:
            entry = snapshot.find([id_]).get(id_)
            if entry is None and is_entry_id(id_):
                snapshot.history(id_)  # raises an error if its record is damaged
        if entry is None:
            raise self._with_explanation(UnknownEntry.for_id(id_), [id_])
        return entry

    def select(self, where: Where, limit: int | None) -> list[Entry]:
        """Return the entries that meet the conditions, the latest change first."""
        if limit is not None:
            whole_number(limit, 1, MAX_ROWS, "limit")
        self.sync.before_read()
        with self.store.read() as snapshot:
            return snapshot.select(where, "latest", limit)

    def recent(self, limit: int) -> list[Version]:
        """Return the latest versions of the entries that changed last, without untrusted ones."""
        whole_number(limit, 1, MAX_ROWS, "limit")
        self.sync.before_read()
        with self.store.read() as snapshot:
            latest = [
                entry
                for trust in TRUSTS
                if trust != UNTRUSTED
                for entry in snapshot.select(Where(state="any", trust=trust), "latest", limit)
            ]
            latest.sort(key=lambda entry: entry.updated_at, reverse=True)
            return [snapshot.history(entry.id)[-1] for entry in latest[:limit]]

    def edit(self, id_: str, changes: EntryChanges) -> Entry:
        self.context.require_owner("edit memories", "remem edit")
        from remem.entries.edit import edit

        self.sync.before_read()
        return self._write(
            id_, lambda tx, id_, now, _topics: edit(tx, id_, changes, now, self.deps)
        )

    def history(self, id_: str) -> list[Version]:
        id_ = self.find(id_).id
        with self.store.read() as snapshot:
            return snapshot.history(id_)

    def index(self) -> Index:
        self.sync.before_read()
        with self.store.read() as snapshot:
            return self.index_of(snapshot)

    def index_of(self, snapshot: Snapshot, budget: int | None = None) -> Index:
        """Return the index of a snapshot, for instance of a transaction that has not ended.

        `budget` lowers the configured size.
        """
        from remem.entries.in_project import in_project  # most commands do not make the index
        from remem.entries.index import make_index

        tokens = self.context.config.index_tokens
        visible = in_project(snapshot, self.context.only_project)
        return make_index(
            visible, self.deps.counter, tokens if budget is None else min(tokens, budget)
        )

    def index_text(self, budget: int | None = None) -> IndexText:
        """Return the text of the index; it is made only if `memory/INDEX.md` is outdated.

        `budget` lowers the configured size.
        """
        self.sync.before_read()
        context, counter = self.context, self.deps.counter
        tokens = context.config.index_tokens
        is_whole = context.only_project is None and (budget is None or budget >= tokens)
        with self.store.read() as snapshot:
            if context.is_main and is_whole:
                path = context.layout.index_file
                text = read_written_index(snapshot, path, made_by(counter, tokens))
                if text is not None:
                    return IndexText(text, counter.count(text))
            index = self.index_of(snapshot, budget)
        return IndexText(index.text, index.tokens)

    def readable_index(self) -> Index | None:
        """Return the index, or None if the store cannot be read; the status reports the error."""
        try:
            return self.index()
        except StoreError:
            return None

    def untrusted(self) -> list[Entry]:
        """Return the entries that are waiting for review, as they would be after confirmation."""
        self._require_reviewer()
        with self.store.read() as snapshot:
            waiting = snapshot.select(Where(state="current", trust="untrusted"))
            return [as_intended(snapshot, entry) for entry in waiting]

    def confirm(self, id_: str) -> Entry:
        self._require_reviewer()
        return self._write(id_, lifecycle.confirm)

    def dismiss(self, id_: str) -> Entry:
        self._require_reviewer()
        return self._write(id_, lifecycle.dismiss)

    def forget(self, id_: str) -> ForgetReport:
        return self._write(id_, lifecycle.forget)

    def reinforce(self, id_: str) -> ReinforceReport:
        return self._write(id_, lifecycle.reinforce)

    def _write(self, id_: str, change: Callable[[Transaction, str, str, tuple[str, ...]], T]) -> T:
        id_, now = meant_id(id_), self.context.now()
        try:
            result = self.store.write(lambda tx: change(tx, id_, now, self.deps.topics))
        except UnknownEntry as error:
            raise self._with_explanation(error, [id_]) from None
        self.sync.after_write()
        return result

    def _with_explanation(self, error: UnknownEntry, ids: Iterable[str]) -> UnknownEntry:
        """Return a clearer error if one of the ids names a fact, because recall shows facts too."""
        known_facts = self.known_facts()
        facts = {fact.id for fact in known_facts.facts} if known_facts else frozenset[str]()
        fact_id = next((id_ for id_ in ids if id_ in facts), None)
        if fact_id is None:
            return error
        return UnknownEntry(
            f"{quoted(fact_id)} is a fact, not an entry",
            hint=f"facts do not fade and are not archived; replace it with `remem fact supersede "
            f"{fact_id}` or the tool memory_fact (profile full)",
        )

    def _of_project(self, memory: Memory) -> Memory:
        """Return the memory with the tag of the current project, if there is one."""
        tags = memory.get("tags") or ()
        if self.context.project is None or not _are_texts(tags):
            return memory
        return {**memory, "tags": with_project(tuple(tags), self.context.project)}

    def _unmasked_kinds(self) -> tuple[str, ...]:
        """Return the kinds of secrets that are not masked, according to the settings."""
        context = self.context
        return ("code",) if context.may_keep_secrets and context.config.keep_codes else ()

    def _require_reviewer(self) -> None:
        self.context.require_owner("review memories", "remem review")

    def _with_hint(self, receipt: Receipt) -> Receipt:
        """Add a hint on how the owner can store a masked text unmasked, which only main allows."""
        if not receipt.redacted or not self.context.is_main:
            return receipt
        masked = ", ".join(receipt.redacted)
        return replace(
            receipt,
            hint=f"masked: {masked}; to keep it readable, the owner can store it again with "
            f"`remem store --keep --supersedes {receipt.id} TEXT`",
        )


def _are_texts(values: object) -> bool:
    """Return whether a value is a list of texts; the draft refuses any other."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        return False
    return all(isinstance(value, str) for value in values)


def _with_origin(memory: Memory) -> Memory:
    return memory if memory.get("origin") else {**memory, "origin": _BULK}


def _length(memory: Memory) -> int:
    if not isinstance(memory, Mapping):
        raise InvalidInput(f"a memory must be a dictionary, not {quoted(memory)}")
    content = memory.get("content")
    return len(content) if isinstance(content, str) else 0

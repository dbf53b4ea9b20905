"""Export and import entries as JSON Lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from remem.app.context import SessionContext
from remem.entries.import_rules import EXPORT_KEY_PURPOSE, ImportRules
from remem.entries.sync import Sync
from remem.entries.transfer import ImportReport, after_reading_all, export_lines, import_items
from remem.entries.transfer_line import read_lines
from remem.errors import DiskFull, FileError, StoreReadOnly
from remem.files import workspace_key
from remem.files.workspace_key import derived_key
from remem.graph.knowledge_file import statements_as_entries
from remem.model.arguments import one_of
from remem.model.entry import TRUSTS
from remem.ports import StoreDependencies
from remem.ports.entries import Store


@dataclass(frozen=True, slots=True)
class TransferService:
    """Exports and imports the entries of one scope.

    `store_copy` opens a temporary copy of the store, for dry runs.
    """

    context: SessionContext
    store: Store
    sync: Sync
    deps: StoreDependencies
    store_copy: Callable[[], AbstractContextManager[Store]]

    def export(self) -> Iterator[str]:
        self.sync.before_read()
        key = self._signing_key()
        yield from export_lines(self.store, key if isinstance(key, bytes) else None)

    def why_unsigned(self) -> str | None:
        """Return why the lines of an export are not signed; None if they are."""
        key = self._signing_key()
        return key if isinstance(key, str) else None

    def import_lines(
        self,
        lines: Callable[[], Iterable[bytes]],
        *,
        trust: str | None,
        dry_run: bool,
        progress: Callable[[int], None],
    ) -> ImportReport:
        requested = None if trust is None else one_of(trust, TRUSTS, "trust")
        key = workspace_key.read(self.context.layout)
        now = self.context.now()
        export_key = self._export_key(key) if key else None
        rules = ImportRules(self.context.trust, requested, export_key, now)
        items = after_reading_all(read_lines(statements_as_entries(lines()), rules, self.store))
        if dry_run:
            with self.store_copy() as copy:
                return import_items(copy, items, self.deps, rules, progress)
        report = import_items(self.store, items, self.deps, rules, progress)
        self.sync.after_write()
        return report

    def _signing_key(self) -> bytes | str:
        """Return the scope's key for exports, or the reason why there is none."""
        try:
            return self._export_key(workspace_key.read_or_create(self.context.layout))
        except (StoreReadOnly, DiskFull, FileError) as error:
            return str(error)

    def _export_key(self, workspace_secret: bytes) -> bytes:
        """Return the key that signs exports of this scope; every scope has its own."""
        return derived_key(workspace_secret, EXPORT_KEY_PURPOSE, str(self.context.scope))

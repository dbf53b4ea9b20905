"""Limits of remem that a test makes small, to reach them with little data and no waiting.

They are no settings, so their names are private; a test changes one with `monkeypatch.setattr`.
"""

from __future__ import annotations

from typing import Final

BUSY_MILLISECONDS: Final = "remem.store.sqlite.connection._BUSY_MILLISECONDS"
SHORT_BUSY_MILLISECONDS: Final = "remem.store.sqlite.connection._SHORT_BUSY_MILLISECONDS"
CHECKPOINT_SECONDS: Final = (
    "remem.store.sqlite.writer._CHECKPOINT_IDLE_SECONDS",
    "remem.store.sqlite.writer._CHECKPOINT_MAX_SECONDS",
)
IMPORT_BYTES_IN_MEMORY: Final = "remem.entries.transfer._MAX_SPOOL_BYTES"
MAX_QUICK_VECTORS: Final = "remem.entries.sync._MAX_QUICK"
QUICK_VECTOR_BATCH: Final = "remem.entries.vectors._QUICK_BATCH_SIZE"
WORK_LOG_BYTES: Final = "remem.files.logs._MAX_BYTES"
REBUILD_CHUNK: Final = "remem.entries.rebuild._CHUNK_SIZE"
FILE_SYNC_TIMEOUT: Final = "remem.entries.sync._TIMEOUT_SECONDS"
EMBEDDER_RETRY_SECONDS: Final = "remem.entries.background._RETRY_SECONDS"
REFRESH_BATCH_BYTES: Final = "remem.search.refresh.refresh._BATCH_BYTES"
REFRESH_TIMEOUT: Final = "remem.search.sync._REFRESH_TIMEOUT"
POLL_MIN_PAUSE: Final = "remem.search.sync._POLL_SECONDS"
POLL_PAUSE_FACTOR: Final = "remem.entries.background._PAUSE_FACTOR"
LEFTOVER_SECONDS: Final = "remem.entries.domain_sync.leftovers._SETTLE_SECONDS"
PATIENCE: Final = (
    "remem.search.passages.search.MODEL_TIMEOUT_SECONDS",
    "remem.search.sync.MAX_URGENT_SECONDS",
    "remem.entries.sync.MAX_URGENT_SECONDS",
    REFRESH_TIMEOUT,
    FILE_SYNC_TIMEOUT,
)
"""How long an answer waits for something that helps it; every test gives it long enough."""
MIGRATION_BATCH: Final = "remem.setup.migrate.migrate._BATCH_STATEMENTS"

"""How is a store of passages written? Every change is one operation, wherever the store lies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from remem.core.passage import FileMark, Passage
from remem.ports import Embedding, ModelIdentity
from remem.stores.sqlite.passage_transaction import PassageTransaction


class PassageWriting(ABC):
    """What can be changed; who inherits it says how an operation is carried out."""

    def replace(self, changed: Sequence[tuple[FileMark, Sequence[Passage]]]) -> None:
        self._write(lambda tx: tx.replace(changed))

    def remark(self, marks: Sequence[FileMark]) -> None:
        self._write(lambda tx: tx.remark(marks))

    def forget(self, paths: Sequence[str]) -> None:
        self._write(lambda tx: tx.forget(paths))

    def want_vectors(self, *models: ModelIdentity) -> None:
        self._write(lambda tx: tx.want_vectors(*models))

    def save_vectors(
        self,
        identity: ModelIdentity,
        embedded: Sequence[tuple[int, int, Embedding]],
        *,
        more: bool = False,
    ) -> None:
        self._write(lambda tx: tx.save_vectors(identity, embedded, more=more))

    def save_quick_vectors(
        self, identity: ModelIdentity, embedded: Sequence[tuple[int, int, Embedding]]
    ) -> None:
        self._write(lambda tx: tx.save_quick_vectors(identity, embedded))

    def drop_vectors(self, identity: ModelIdentity, rows: Sequence[int]) -> None:
        self._write(lambda tx: tx.drop_vectors(identity, rows))

    def served(self, rows: Sequence[tuple[int, int]]) -> None:
        self._write(lambda tx: tx.served(rows))

    def keep_note(self, key: str, value: str) -> None:
        self._write(lambda tx: tx.keep_note(key, value))

    @abstractmethod
    def _write(self, operation: Callable[[PassageTransaction], Any]) -> Any: ...

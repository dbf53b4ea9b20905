"""Count tokens, exactly if the tokenizer is installed, otherwise by an estimate.

Counts are saved for later processes, because loading the tokenizer takes longer than everything
else that `remem index` does, and an earlier command has counted most texts already.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from remem.errors import ConfigError, RememError
from remem.files import atomic
from remem.ports.models import TokenCounter
from remem.text.tokens import estimate

_RECORD: Final = struct.Struct(">16sI")
_MAX_RECORDS: Final = 4096


class EstimatedCounter:
    """Estimates the number of tokens within microseconds; it errs on the high side."""

    @property
    def name(self) -> str:
        return "estimate"

    def count(self, text: str) -> int:
        return estimate(text)


class ExactCounter:
    """Counts with the o200k tokenizer of splintr-rs, which is loaded on first use.

    A lone surrogate, which cannot be encoded, is counted as U+FFFD.
    """

    @property
    def name(self) -> str:
        return "o200k"

    def count(self, text: str) -> int:
        try:
            return len(_o200k()(text))
        except UnicodeEncodeError:
            valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return len(_o200k()(valid))


def choose_counter(choice: str = "auto") -> TokenCounter:
    """Return the counter for the setting `exact`, `estimate` or `auto`.

    With `auto`, it is the exact one if the tokenizer is installed.
    """
    if choice == "auto":
        choice = "estimate" if find_spec("splintr") is None else "exact"
    return ExactCounter() if choice == "exact" else EstimatedCounter()


@cache
def _o200k() -> Callable[[str], list[int]]:
    try:
        tokenizer = import_module("splintr").Tokenizer.from_pretrained("o200k_base")
    except ImportError as error:
        raise ConfigError(
            f"the exact token counter cannot be loaded: {error}",
            hint="install it: pip install splintr-rs",
        ) from error
    encode: Callable[[str], list[int]] = tokenizer.encode_ordinary
    return encode


class CachedCounter:
    """A counter that looks up a text in a file before it counts it.

    The file is a cache: if it is missing, damaged or not writable, texts are counted again. It
    contains digests made with the key of the workspace, so that nobody without the key can find out
    whether a text was counted.
    """

    def __init__(self, counter: TokenCounter, file: Path, key: Callable[[], bytes | None]) -> None:
        self._counter = counter
        self._file = file
        self._read_key = key
        self._key: bytes | None = None
        self._saved: dict[bytes, int] | None = None
        self._used: dict[bytes, int] = {}
        self._changed = False

    @property
    def name(self) -> str:
        return self._counter.name

    def count(self, text: str) -> int:
        if self._saved is None:
            self._key = self._read_key()
            self._saved = self._read() if self._key else {}
        if not self._key:
            return self._counter.count(text)
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(data, digest_size=16, key=self._key).digest()
        count = self._used.get(digest, self._saved.get(digest))
        if count is None:
            count = self._counter.count(text)
            self._changed = True
        self._used[digest] = count
        return count

    def save(self) -> None:
        """Save the counts of this process, and those of earlier ones up to a maximum number."""
        if not self._changed or not self._file.parent.is_dir():
            return
        counts = list(({**(self._saved or {}), **self._used}).items())[-_MAX_RECORDS:]
        with suppress(RememError):
            atomic.replace_file(self._file, b"".join(_RECORD.pack(*count) for count in counts))

    def _read(self) -> dict[bytes, int]:
        with suppress(RememError):
            data = atomic.read(self._file) or b""
            if len(data) % _RECORD.size == 0:
                return dict(_RECORD.iter_unpack(data))
        return {}

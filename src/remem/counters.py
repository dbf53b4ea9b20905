"""How are tokens counted here? Exactly where the tokenizer is installed, else by estimate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from remem.core.tokens import estimate
from remem.errors import ConfigError
from remem.ports import TokenCounter

# The tokenizer refuses more than 200,000 tokens at once; no character has over four bytes.
_PIECE = 50_000


class Estimate:
    """Needs nothing and costs microseconds; errs on the high side."""

    @property
    def name(self) -> str:
        return "estimate"

    def count(self, text: str) -> int:
        return estimate(text)


class Exact:
    """o200k itself, from the extra `tokens`; loaded at the first text, which takes a second.

    A text over 50,000 characters is counted in pieces, cut after a line or before a word
    where there is one; elsewhere a cut can add a few tokens. Half a surrogate pair counts
    as U+FFFD.
    """

    @property
    def name(self) -> str:
        return "o200k"

    def count(self, text: str) -> int:
        encode = _o200k()
        return sum(len(encode(piece)) for piece in _pieces(text))


def best_counter() -> TokenCounter:
    """Exact if the tokenizer is installed; looking does not load it."""
    return Estimate() if find_spec("bpe_openai") is None else Exact()


@cache
def _o200k() -> Callable[[str], list[int]]:
    with warnings.catch_warnings():
        # It reads its vocabulary through a function that Python 3.11 calls deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            tokenizer = import_module("bpe_openai")
        except ImportError as error:
            raise ConfigError(
                f"the exact token counter cannot be loaded: {error}",
                hint="install the extra: pip install 'remem[tokens]'",
            ) from error
    encode: Callable[[str], list[int]] = tokenizer.get_encoding("o200k_base").encode_ordinary
    return encode


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _PIECE:
        end = _cut(text, start, start + _PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int, end: int) -> int:
    after_line = text.rfind("\n", start, end) + 1
    before_word = text.rfind(" ", start + 1, end)
    return after_line or (before_word if before_word > start else end)

"""Count tokens: exactly if the tokenizer is installed, otherwise by estimate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from remem.errors import ConfigError
from remem.ports.models import TokenCounter
from remem.text.tokens import estimate


class EstimatedCounter:
    """Estimates a count in microseconds, without dependencies; it errs on the high side."""

    @property
    def name(self) -> str:
        return "estimate"

    def count(self, text: str) -> int:
        return estimate(text)


class ExactCounter:
    """The o200k tokenizer of splintr-rs; loaded on first use.

    A lone surrogate, which cannot be encoded, counts as U+FFFD.
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
    """Return the counter for `exact`, `estimate` or `auto`: exact if the tokenizer is installed."""
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

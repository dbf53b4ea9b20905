"""How are tokens counted here? Exactly where the tokenizer is installed, else by estimate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from remem.errors import ConfigError
from remem.ports.models import TokenCounter
from remem.text.tokens import estimate


class Estimate:
    """Needs nothing and costs microseconds; errs on the high side."""

    @property
    def name(self) -> str:
        return "estimate"

    def count(self, text: str) -> int:
        return estimate(text)


class Exact:
    """o200k itself, from the extra `tokens`; loaded at the first text.

    Half a surrogate pair, which no encoding has, counts as U+FFFD.
    """

    @property
    def name(self) -> str:
        return "o200k"

    def count(self, text: str) -> int:
        try:
            return len(_o200k()(text))
        except UnicodeEncodeError:
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return len(_o200k()(whole))


def choose_counter(wanted: str = "auto") -> TokenCounter:
    """`exact`, `estimate`, or for `auto` exact if the tokenizer is installed."""
    if wanted == "auto":
        wanted = "estimate" if find_spec("splintr") is None else "exact"
    return Exact() if wanted == "exact" else Estimate()


@cache
def _o200k() -> Callable[[str], list[int]]:
    try:
        tokenizer = import_module("splintr").Tokenizer.from_pretrained("o200k_base")
    except ImportError as error:
        raise ConfigError(
            f"the exact token counter cannot be loaded: {error}",
            hint="install the extra: pip install 'remem[tokens]'",
        ) from error
    encode: Callable[[str], list[int]] = tokenizer.encode_ordinary
    return encode

"""Terminal output: a console that is safe for stored text, and escaping of control characters."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

_DIRECTION: Final = frozenset("LRE LRO RLE RLO PDF LRI RLI FSI PDI".split())


def console(*, stderr: bool = False) -> Console:
    """A console that never reads markup into a memory and never breaks a piped line."""
    from rich.console import Console  # slow to import

    class Screen(Console):
        """Leaves a broken pipe to the command."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    return Screen(file=stream, markup=False, emoji=False, highlight=False, soft_wrap=True)


def visible(text: str) -> str:
    """The text with control characters escaped, so that it has no power over a terminal."""
    return "".join(
        character if _harmless(character) else ascii(character)[1:-1] for character in text
    )


def _harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    control = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    return not control and unicodedata.bidirectional(character) not in _DIRECTION

"""What is to be shown for a message? Decided once, before it is cut to the budget."""

from __future__ import annotations

from dataclasses import dataclass

from remem.core.gate_file import GateFile
from remem.disclosure.open.intent import Intent
from remem.disclosure.open.reading import Sheet


@dataclass(frozen=True, slots=True)
class GatePage:
    """The gate of a scope: a peer has no `path`, a new group no `text`.

    `known` means that the conversation has read it as it is now.
    """

    path: str | None
    text: str | None
    file: GateFile
    known: bool
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What each step came to; `refused` and `not_referred` say what was not loaded, and why.

    `named` are projects that the message names, `referred` the conventions that the file names.
    """

    message: str
    gate: GatePage
    spent: int = 0
    """Tokens that the conversation has had before."""
    intent: Intent | None = None
    named: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    refused: tuple[str, ...] = ()
    referred: tuple[str, ...] = ()
    convention: Sheet | None = None
    not_referred: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that may be loaded, the best first."""
        matches = self.intent.matches if self.intent else ()
        return (*self.named, *(match.route.file for match in matches))

    @property
    def pages(self) -> tuple[Sheet, ...]:
        """Everything to be shown besides the gate."""
        return (*self.sheets, *([self.convention] if self.convention else []))

"""Has this conversation come in by the gate? A group's files are reached by no other way.

Only groups are gated. Whoever asks for lines of a group before its gate was read is told the
gate's path, whether or not there is anything to find. A group that has no gate yet says so when
it is asked for: then that was looked at, and search and recall are open. When a flush makes the
gate, it has to be read before anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from remem.disclose.path_access import Refusal
from remem.errors import GateFirst
from remem.files.atomic import digest
from remem.files.conversations import Conversations
from remem.files.layout import Layout
from remem.model.conversation import NO_GATE, Conversation, Tier, same_file, tier_of, why_not
from remem.model.scope import Scope

GATE_FIRST: Final = "GATE_FIRST"
LIMIT: Final = "MEMORY_LIMIT_REACHED"


@dataclass(frozen=True, slots=True)
class Entry:
    """The way in, for one conversation of a session."""

    layout: Layout
    scope: Scope
    conversations: Conversations

    @property
    def gate(self) -> str | None:
        """The gate's path in the workspace."""
        path = self.layout.gate(self.scope)
        return path.relative_to(self.layout.root).as_posix() if path else None

    @property
    def folder(self) -> str:
        """Where the scope's files lie."""
        if self.scope.kind == "main":
            return "memory/main"
        return self.layout.domains(self.scope).parent.relative_to(self.layout.root).as_posix()

    def refusal(self) -> Refusal | None:
        """Why nothing of the group may be read yet; None if it may."""
        if self.scope.kind != "group" or self.conversations.now().has_read_gate(
            digest_of(self._gate_text())
        ):
            self.conversations.heard()
            return None
        return Refusal(
            GATE_FIRST,
            f"{GATE_FIRST}: read {self.gate} before anything else of this group "
            f'(memory_open, or memory_get(path:"{self.gate}"))',
        )

    def require(self) -> None:
        """Raises GateFirst where `refusal` has a reason."""
        if self.refusal():
            raise GateFirst(
                f"{GATE_FIRST}: nothing of this group is read before its gate, {self.gate}",
                hint=f'call memory_open with the message, or memory_get(path:"{self.gate}")',
            )

    def before(self, path: str) -> Refusal | None:
        """Why a file of the scope may not be read now; its name has passed the walls."""
        if self._is_gate(path):
            return None
        if refusal := self.refusal():
            return refusal
        if self.scope.kind != "group":
            return None
        reason = why_not(self.conversations.now(), path, self.tier(path), main=False)
        return Refusal(LIMIT, f"{LIMIT}: {reason}") if reason else None

    def after(self, path: str, data: bytes | None, *, from_start: bool = True) -> None:
        """Note what was read; None for a file that is not there."""
        if self.scope.kind != "group":
            return
        if self._is_gate(path):
            if from_start:
                read = NO_GATE if data is None else digest(data)
                self._note(lambda before: before.with_gate(read))
        elif data is not None:
            tier = self.tier(path)
            self._note(lambda before: before.with_file(path, tier))

    def _note(self, change: Callable[[Conversation], Conversation]) -> None:
        """Most of what is read was read before: then nothing has to be written."""
        before = self.conversations.now()
        if change(before) == before:
            self.conversations.heard()
        else:
            self.conversations.change(change)

    def tier(self, path: str) -> Tier:
        """A file's tier, as the gate or its name says."""
        from remem.model.gate import read_gate_file  # of groups alone

        inside = path.removeprefix(f"{self.folder}/")
        gate = read_gate_file(self._gate_text() or "")
        said = [route.tier for route in gate.routes if self.inside(route.file) == inside]
        return tier_of(inside, next(filter(None, said), ""))

    def inside(self, file: str) -> str:
        """A file as a gate writes it, named from the scope's own folder."""
        for start in self._prefixes():
            if file.startswith(start):
                return file.removeprefix(start)
        return file

    def _prefixes(self) -> tuple[str, ...]:
        name = self.scope.name or "main"
        whole = self.folder.rpartition("/")[0]
        names = dict.fromkeys((self.folder.rpartition("/")[2], name))
        above = (f"{whole}/", f"{whole.removeprefix('memory/')}/" if "/" in whole else "", "")
        return tuple(f"{start}{name}/" for start in dict.fromkeys(above) for name in names)

    def _is_gate(self, path: str) -> bool:
        return self.gate is not None and same_file(path) == same_file(self.gate)

    def _gate_text(self) -> str | None:
        from remem.files.start_files import gate_text  # of groups alone

        trouble: list[str] = []  # whoever reads the gate itself is told what is wrong with it
        return gate_text(self.layout, self.scope, trouble)


def digest_of(text: str | None) -> str:
    """What stands for a gate in the record of a conversation."""
    return NO_GATE if text is None else digest(text.encode(errors="replace"))

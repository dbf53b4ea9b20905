"""Require that a conversation reads a group's gate before any other file of the group.

Only groups have this rule. Until the gate is read, every request is refused with the gate's path,
whether or not there is anything to find. If a group has no gate yet, it is enough to have looked
for it; once a flush creates the gate, it must be read first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from remem.errors import GateFirst
from remem.fast_dataclass import dataclass
from remem.files.atomic import digest
from remem.files.conversations import ConversationRecord
from remem.files.layout import Layout
from remem.model.conversation import NO_GATE, Conversation, Tier, load_refusal, path_key, tier_of
from remem.model.scope import Scope

if TYPE_CHECKING:
    from remem.disclose.path_access import PathRefusal

GATE_FIRST: Final = "GATE_FIRST"
LIMIT: Final = "MEMORY_LIMIT_REACHED"


@dataclass(frozen=True, slots=True)
class GateGuard:
    """Controls which files a conversation of a session may read."""

    layout: Layout
    scope: Scope
    conversations: ConversationRecord

    @property
    def gate(self) -> str | None:
        """The gate's path, relative to the workspace."""
        path = self.layout.gate(self.scope)
        return self.layout.relative(path) if path else None

    @property
    def folder(self) -> str:
        """The folder of the scope's files, relative to the workspace."""
        return self.layout.scope_folder(self.scope)

    def refusal(self) -> PathRefusal | None:
        """Return the reason why the group may not be read yet.

        If it may be read, record that the conversation is active, and return None.
        """
        if self.scope.kind != "group" or self.conversations.current().has_read_gate(
            gate_digest(self._gate_text())
        ):
            self.conversations.note_activity()
            return None
        return _refusal(
            GATE_FIRST,
            f"{GATE_FIRST}: read {self.gate} before anything else in this group "
            f'(memory_open, or memory_get(path:"{self.gate}"))',
        )

    def require(self) -> None:
        """Raise GateFirst if the group may not be read yet."""
        if self.refusal():
            raise GateFirst(
                f"{GATE_FIRST}: the gate of this group, {self.gate}, has not been read yet",
                hint=f'call memory_open with the message, or memory_get(path:"{self.gate}")',
            )

    def check_read(self, path: str) -> PathRefusal | None:
        """Return the reason why a file may not be read now, if any.

        `path` is the path that `resolve_path` returned.
        """
        if self._is_gate(path):
            return None
        if refusal := self.refusal():
            return refusal
        if self.scope.kind != "group":
            return None
        reason = load_refusal(self.conversations.current(), path, self.tier(path), main=False)
        return _refusal(LIMIT, f"{LIMIT}: {reason}") if reason else None

    def record_read(self, path: str, data: bytes | None, *, from_start: bool = True) -> None:
        """Record that a file of a group was read; `data` is None if it does not exist.

        A gate only counts as read if it was read `from_start`.
        """
        if self.scope.kind != "group":
            return
        if self._is_gate(path):
            if from_start:
                gate = NO_GATE if data is None else digest(data)
                self._record(lambda before: before.with_gate(gate))
        elif data is not None:
            tier = self.tier(path)
            self._record(lambda before: before.with_file(path, tier))

    def _record(self, change: Callable[[Conversation], Conversation]) -> None:
        """Change the conversation's record, or only note its activity if nothing changes."""
        before = self.conversations.current()
        if change(before) == before:
            self.conversations.note_activity()
        else:
            self.conversations.change(change)

    def tier(self, path: str) -> Tier:
        """Return a file's tier, as given by the gate, or else by the file's name."""
        from remem.model.gate import read_gate_file  # only needed for groups

        inside = path.removeprefix(f"{self.folder}/")
        gate = read_gate_file(self._gate_text() or "")
        tiers = [route.tier for route in gate.routes if self.relative_name(route.file) == inside]
        return tier_of(inside, next(filter(None, tiers), ""))

    def relative_name(self, file: str) -> str:
        """Return a file named in a gate, relative to the scope's folder."""
        for prefix in self._prefixes():
            if file.startswith(prefix):
                return file.removeprefix(prefix)
        return file

    def _prefixes(self) -> tuple[str, ...]:
        """Return the ways to write the scope's folder: `memory/groups/x/`, `groups/x/`, `x/`."""
        parent, _, folder = self.folder.rpartition("/")
        names = dict.fromkeys((folder, self.scope.name or "main"))
        parents = (f"{parent}/", f"{parent.removeprefix('memory/')}/" if "/" in parent else "", "")
        return tuple(f"{start}{name}/" for start in dict.fromkeys(parents) for name in names)

    def _is_gate(self, path: str) -> bool:
        return self.gate is not None and path_key(path) == path_key(self.gate)

    def _gate_text(self) -> str | None:
        from remem.files.start_files import gate_text  # only needed for groups

        problems: list[str] = []  # ignored here, because reading the gate reports them
        return gate_text(self.layout, self.scope, problems)


def gate_digest(text: str | None) -> str:
    """Return the digest of a gate's text, with which a conversation records that it was read."""
    return NO_GATE if text is None else digest(text.encode(errors="replace"))


def _refusal(code: str, error: str) -> PathRefusal:
    from remem.disclose.path_access import PathRefusal  # lazy: most requests are allowed

    return PathRefusal(code, error)

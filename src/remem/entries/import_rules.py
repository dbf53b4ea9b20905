"""Rules for the trust, counters and privileges of imported lines.

A line that `remem export` wrote in this workspace, and nobody has changed since, is restored
exactly; its proof shows that it is unchanged. Any other line is foreign. Unless the owner vouches
for the file, a foreign line gets at most the agent's trust, its counters and dates are limited, and
it waits for review if it would be an instruction or critical.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from remem.entries.receipt import ReviewedFields, is_privileged, without_privileges
from remem.errors import InvalidInput
from remem.files.workspace_key import is_proven
from remem.model.entry import IMPORTED, Draft, Entry, Trust, lower_trust

EXPORT_KEY_PURPOSE: Final = "export"
"""The purpose that the export key is derived for."""

PROOF_FIELD: Final = "proof"
MAX_FOREIGN_COUNT: Final = 10
"""Limit on `strength` and `uses` from a foreign file. Recall and graduation count both, so a
higher number would give the file's statements a better rank."""
MAX_VOUCHED_COUNT: Final = 1_000

_Memory = TypeVar("_Memory", Draft, Entry)


@dataclass(frozen=True)
class ImportRules:
    """The rules of one import.

    `session` is the trust of the importing session, `requested` the trust that it asks for, and
    `key` the scope's export key, if there is one.
    """

    session: Trust
    requested: Trust | None
    key: bytes | None
    now: str

    @cached_property
    def is_vouched(self) -> bool:
        """Whether the owner states that the file is their own."""
        return self.session == "owner" and self.requested == "owner"

    @cached_property
    def trust(self) -> Trust:
        """The highest trust that a foreign line gets."""
        return lower_trust(self.session, self.requested or lower_trust(self.session, "agent"))

    def proves(self, value: Mapping[str, Any]) -> bool:
        """Return whether a line has a valid proof, so that it is restored exactly.

        A proof only counts for the owner, and not if they requested less trust.
        """
        if self.key is None or self.session != "owner" or self.requested not in (None, "owner"):
            return False
        fields = {name: field for name, field in value.items() if name != PROOF_FIELD}
        return is_proven(self.key, fields, value.get(PROOF_FIELD))

    def within_bounds(self, entry: Entry) -> Entry:
        """Return a foreign entry with its counters limited and no dates in the future."""
        limit = MAX_VOUCHED_COUNT if self.is_vouched else MAX_FOREIGN_COUNT
        created = min(entry.created_at, self.now)
        return replace(
            entry,
            created_at=created,
            updated_at=max(created, min(entry.updated_at, self.now)),
            strength=min(entry.strength, limit),
            uses=min(entry.uses, limit),
        )

    def unprivileged(self, memory: _Memory) -> tuple[_Memory, ReviewedFields | None]:
        """Return a foreign memory without privileges, and those that confirming it would restore.

        A privileged memory becomes untrusted. The source is set to "import", so that the index
        leaves the memory out until the owner vouches for it.
        """
        if self.is_vouched:
            return memory, None
        foreign = replace(memory, source=IMPORTED)
        if not is_privileged(memory):
            return foreign, None
        return replace(without_privileges(foreign), trust="untrusted"), ReviewedFields.from_memory(
            memory
        )

    def refuse_replacement(self, draft: Draft, old: Entry) -> None:
        """Raise InvalidInput if a foreign line would supersede an owner's statement or a rule."""
        if self.is_vouched:
            return
        if draft.trust == "untrusted":
            if old.trust == "untrusted":
                return
            why = "which is trusted, while this line waits for review"
        elif old.trust in ("owner", "system"):
            why = f"which has {old.trust} trust"
        elif is_privileged(old) and old.trust != "untrusted":
            why = "which is an instruction or critical"
        else:
            return
        raise InvalidInput(
            f"it cannot supersede {old.id}, {why}",
            hint="leave out `supersedes`, or use --trust owner if the file is your own",
        )

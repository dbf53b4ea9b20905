"""What may an imported line bring in?

A line that `remem export` wrote here, and nobody has changed since, comes back exactly as it was:
its proof says so. Any other line is foreign. It gets no more than the agent's trust, bounded
counters and dates, and waits in review where it would be an instruction or critical, unless the
owner vouches for the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from remem.entries.receipt import Intent, has_power, without_power
from remem.errors import InvalidInput
from remem.model.entry import IMPORTED, Draft, Entry, Trust, lower_trust
from remem.model.proof import is_proven

EXPORT: Final = "export"
"""The purpose for which the key of exports is derived."""

PROOF: Final = "proof"
MOST_CLAIMED: Final = 10
"""How often a foreign file can say that a memory was repeated or used. Recall and graduation
count both, so that a higher number would buy its words a better place."""
MOST_VOUCHED: Final = 1_000

_Memory = TypeVar("_Memory", Draft, Entry)


@dataclass(frozen=True)
class ImportRules:
    """Who imports, what they said about the file, and the scope's key for exports, if any."""

    session: Trust
    asked: Trust | None
    key: bytes | None
    now: str

    @cached_property
    def vouched(self) -> bool:
        """Whether the owner has said that the file is their own."""
        return self.session == "owner" and self.asked == "owner"

    @cached_property
    def trust(self) -> Trust:
        """The most that a foreign line gets."""
        return lower_trust(self.session, self.asked or lower_trust(self.session, "agent"))

    def proves(self, value: Mapping[str, Any]) -> bool:
        """Whether a line is to come back exactly as it was. Only for the owner, and not where
        they asked for less trust."""
        if self.key is None or self.session != "owner" or self.asked not in (None, "owner"):
            return False
        signed = {name: each for name, each in value.items() if name != PROOF}
        return is_proven(self.key, signed, value.get(PROOF))

    def within_bounds(self, entry: Entry) -> Entry:
        """A foreign entry whose counters and dates claim nothing absurd."""
        most = MOST_VOUCHED if self.vouched else MOST_CLAIMED
        created = min(entry.created_at, self.now)
        return replace(
            entry,
            created_at=created,
            updated_at=max(created, min(entry.updated_at, self.now)),
            strength=min(entry.strength, most),
            uses=min(entry.uses, most),
        )

    def disarmed(self, memory: _Memory) -> tuple[_Memory, Intent | None]:
        """A foreign memory, untrusted and without power where it would have had one, and what it
        is to be once the owner has confirmed it. Its source says that it was imported: the index
        shows no such memory until the owner vouches for it."""
        if self.vouched:
            return memory, None
        foreign = replace(memory, source=IMPORTED)
        if not has_power(memory):
            return foreign, None
        return replace(without_power(foreign), trust="untrusted"), Intent.of(memory)

    def refuse_replacement(self, draft: Draft, old: Entry) -> None:
        """A foreign line does not push aside what the owner said, nor a rule."""
        if self.vouched:
            return
        if draft.trust == "untrusted":
            if old.trust == "untrusted":
                return
            why = "which is trusted; this line waits in review"
        elif old.trust in ("owner", "system"):
            why = f"which has {old.trust} trust"
        elif has_power(old) and old.trust != "untrusted":
            why = "which is an instruction or critical"
        else:
            return
        raise InvalidInput(
            f"it cannot supersede {old.id}, {why}",
            hint="leave out `supersedes`, or use --trust owner if the file is your own",
        )

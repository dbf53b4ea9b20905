"""The acknowledged writes, recorded by the harness out of the reach of the writer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Ack:
    """One reply: this entry, in this version, with these words, is safe."""

    id: str
    version: int
    digest: str
    word: str
    superseded: tuple[str, ...] = ()

    def line(self) -> str:
        return json.dumps(asdict(self))


@dataclass
class Ledger:
    """Every acknowledgement, in its order, and how many writers were cut short."""

    acks: list[Ack] = field(default_factory=list)
    cut_short: int = 0

    def record(self, said: bytes) -> int:
        """Take down what a writer has said. A line without an end is no acknowledgement."""
        lines = said.split(b"\n")[:-1]
        acks = [read_ack(line) for line in lines if line.startswith(b"{")]
        self.acks += acks
        return len(acks)

    def dumps(self) -> str:
        return json.dumps({"acks": [ack.line() for ack in self.acks], "cut": self.cut_short})

    @classmethod
    def loads(cls, text: str) -> Ledger:
        values = json.loads(text)
        return cls([read_ack(line) for line in values["acks"]], values["cut"])


def read_ack(line: str | bytes) -> Ack:
    values = json.loads(line)
    return Ack(**{**values, "superseded": tuple(values["superseded"])})


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def superseded(acks: Iterable[Ack]) -> set[str]:
    return {id_ for ack in acks for id_ in ack.superseded}

"""Two short made-up conversations for the tests of the measurements."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def turn(id_: str, session: str, speaker: str, text: str, role: str = "user") -> dict[str, Any]:
    return {
        "id": id_,
        "session": session,
        "date": "2026-05-08T13:56:00",
        "speaker": speaker,
        "role": role,
        "text": text,
        "mood": "unknown fields are ignored",
    }


def question(id_: str, query: str, gold: list[str], session: str, kind: str) -> dict[str, Any]:
    return {
        "id": id_,
        "query": query,
        "category": kind,
        "gold_turns": gold,
        "gold_sessions": [session],
    }


CONVERSATIONS = (
    {
        "id": "one",
        "turns": [
            turn("1", "S1", "Mara", "I adopted a beagle called Pip."),
            turn("2", "S1", "Tom", "Lovely! I only have a goldfish."),
            turn("3", "S2", "Mara", "The allotment flooded again."),
            turn("4", "S2", "Tom", "Borrow my pump, it is in the shed."),
        ],
        "questions": [
            question("q1", "What is the beagle called?", ["1"], "S1", "single-hop"),
            question("q2", "What animals do Mara and Tom have?", ["1", "2"], "S1", "multi-hop"),
            question("q3", "Where is the pump?", ["4"], "S2", "single-hop"),
            question("q4", "What did Tom adopt?", ["1"], "S1", "adversarial"),
        ],
    },
    {
        "id": "two",
        "turns": [
            turn("1", "S1", "user", "My bike is a Koga."),
            turn("2", "S1", "assistant", "A fine make.", "assistant"),
        ],
        "questions": [
            question("q5", "Which bike do I have?", ["1"], "S1", "single-hop"),
            question("q6", "Which boat do I have?", ["1"], "S1", "abstention"),
        ],
    },
)


def written(folder: Path, name: str = "talks.jsonl.gz") -> Path:
    path = folder / name
    lines = "".join(json.dumps(conversation) + "\n" for conversation in CONVERSATIONS).encode()
    path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    return path

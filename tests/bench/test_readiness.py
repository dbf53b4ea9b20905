"""Search is measured right after files were read, and after all vectors were made."""

from __future__ import annotations

import json
from pathlib import Path

from bench.readiness import measure
from tests.deterministic import Deterministic


def test_every_moment_has_its_own_memory(tmp_path: Path) -> None:
    turns = [
        {
            "id": f"D1:{number}",
            "session": f"S{number // 20}",
            "date": "2024-05-08T13:56:00",
            "speaker": "Mara",
            "role": "user",
            "text": f"Item {number} lies in drawer {7 * number}.",
        }
        for number in range(200)
    ]
    question = {
        "id": "q0",
        "query": "What is in drawer 49?",
        "date": "2024-06-01T09:00:00",
        "category": "single-hop",
        "gold_turns": ["D1:7"],
        "gold_sessions": ["S0"],
    }
    conversation = {"id": "c", "turns": turns, "questions": [question]}
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(conversation), encoding="utf-8")

    keywords, at_once, complete = measure(data, [0.0, None], embedder=Deterministic())

    assert keywords.passages == at_once.passages == complete.passages
    assert at_once.without_vector > complete.without_vector == 0
    assert keywords.found == at_once.found == complete.found == 100

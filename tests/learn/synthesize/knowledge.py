"""Two entities with facts, as sample data for summaries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANNA = "brain/areas/anna-berg"


def fact(number: int, text: str, day: str, category: str = "status", **more: Any) -> dict[str, Any]:
    return {
        "id": f"anna-berg-{number:03}",
        "fact": text,
        "category": category,
        "timestamp": day,
        "source": "conversation",
        "status": "active",
        **more,
    }


FACTS = [
    fact(1, "Lives in Porto.", "2026-02-01", status="superseded", supersededBy="anna-berg-002"),
    fact(2, "Lives in Lisbon.", "2026-05-03"),
    fact(3, "Prefers tea without sugar.", "2026-03-01", "preference"),
    fact(4, "Moves the studio to the harbour.", "2026-04-01", "decision", status="completed"),
]


def write_facts(root: Path, facts: list[dict[str, Any]], folder: str = ANNA) -> None:
    place = root / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / "items.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")

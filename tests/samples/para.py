"""Facts: `items.json` in all the variants that have been seen."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.samples.world import Statement, World

_CATEGORIES = "status status status status decision decision preference lesson pattern context"
_STATUSES = "active active active active active active completed completed planned deprecated"
TASK_FOLDER = (
    "life/projects/ask-the-three-carpenters-for-a-second-offer-and-compare-the-hidden-cost-"
)


def facts(world: World) -> dict[str, bytes]:
    """Path → bytes: the plain schema, its variants, and facts that contradict each other."""
    random = world.random("facts")
    people, projects = world.phrases.words["person"], world.phrases.words["project"]
    files: dict[str, str] = {}
    for name in people[:3]:
        rows = [
            _plain(name, n, statement) for n, statement in enumerate(_about(world, name), start=1)
        ]
        files[f"brain/areas/{_slug(name)}/items.json"] = _json(rows)
        files[f"brain/areas/{_slug(name)}/summary.md"] = _summary(name, rows)
    files[f"brain/areas/{_slug(projects[0])}/items.json"] = _json(_superseded())
    for name in people[3:6]:
        files[f"life/areas/people/{_slug(name)}/items.json"] = _json(_rich(world, name, random))
    for name in projects[1:3]:
        files[f"life/projects/{_slug(name)}/items.json"] = _json(_rich(world, name, random))
    files[f"life/projects/{_slug(projects[3])}-facts.json"] = _json(
        {
            "_metadata": {"retention": "90d", "version": 2},
            "facts": _rich(world, projects[3], random),
        }
    )
    files["life/areas/people/-1002099914410/items.json"] = _json(_rich(world, people[6], random))
    files[f"{TASK_FOLDER}/items.json"] = _json(_both_active())
    files["life/resources/broken/items.json"] = '[{"id": "brk-001", "fact": "cut off in the mi'
    return {path: text.encode() for path, text in files.items()}


def _about(world: World, name: str) -> list[Statement]:
    return [statement for statement in world.statements if statement.subject == name]


def _plain(name: str, number: int, statement: Statement) -> dict[str, Any]:
    return {
        "id": f"{_slug(name)}-{number:03d}",
        "fact": statement.text,
        "category": "preference" if statement.category == "preference" else "relationship",
        "timestamp": "2026-02-11",
        "source": "conversation",
        "status": "active",
        "supersededBy": None,
    }


def _rich(world: World, name: str, random: Random) -> list[dict[str, Any]]:
    """Ids with gaps, timestamps of three kinds, paths as sources, and more fields."""
    rows, number = [], 0
    for statement in _about(world, name):
        number += random.choice((1, 1, 2, 5))
        short = f"{random.getrandbits(64):016x}" if random.random() < 0.2 else f"abc-{number:03d}"
        day = f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}"
        row: dict[str, Any] = {
            "id": short,
            "fact": f"{statement.text} {world.event(random)} {world.event(random)}",
            "category": random.choice(_CATEGORIES.split()),
            "timestamp": random.choice((f"{day}T09:14:00+01:00", f"{day}T09:14:00.123456Z", day)),
            "status": random.choice(_STATUSES.split()),
            "relatedEntities": [f"people/{_slug(name)}"],
            "lastAccessed": day,
            "accessCount": random.randint(0, 9),
        }
        if random.random() > 0.08:
            row["source"] = random.choice((f"memory/{day}.md", day, "task:4411:done"))
        rows.append(row)
    return rows


def _superseded() -> list[dict[str, Any]]:
    """The plain schema with a history."""
    old = _fact("berth-001", "The winter berth costs 410 euros.", "2025-10-01")
    new = _fact("berth-002", "The winter berth costs 455 euros since October.", "2026-10-02")
    return [old | {"status": "superseded", "supersededBy": "berth-002"}, new]


def _both_active() -> list[dict[str, Any]]:
    """History by adding: nobody marked the old one."""
    newer = "The carpenter's offer is now 3,150 euros, oak included."
    return [
        _fact("car-003", "The carpenter's offer is 2,900 euros.", "2026-03-02"),
        _fact("car-009", newer, "2026-04-01T10:00:00+02:00"),
    ]


def _fact(number: str, text: str, at: str) -> dict[str, Any]:
    kind = {"category": "status", "source": "observation", "status": "active"}
    return {"id": number, "fact": text, "timestamp": at, **kind}


def _summary(name: str, rows: list[dict[str, Any]]) -> str:
    return "\n".join((f"# {name}", "", *(f"- {row['fact']}" for row in rows), ""))


def _slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

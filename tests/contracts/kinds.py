"""All kinds of entries and filters, for tests of what must hold for every one."""

from __future__ import annotations

from itertools import product
from random import Random

from remem.model.entry import CATEGORIES, PRIORITIES, Entry, Filter
from tests.store.sqlite.sample import entry

WIDE = Filter(include_archived=True, include_untrusted=True)
FILTERS = [
    Filter(categories, least, tags, archived, untrusted)
    for categories, least, tags, archived, untrusted in product(
        [(), ("fact",), ("person", "insight")],
        [None, "critical", "medium", "low"],
        [(), ("RARE",), ("rare", "often")],
        [False, True],
        [False, True],
    )
] + [
    Filter(project="project:~/One"),
    Filter(project="project:~/three"),
    Filter(("fact",), tags=("rare",), include_archived=True, project="project:~/two"),
]


_TAGS = {"often": 0.5, "Rare": 0.4, "project:~/one": 0.2, "Project:~/Two": 0.2, "projects": 0.1}


def mixed(random: Random, number: int) -> Entry:
    """An entry of any kind."""
    return entry(
        f"number {number} tea",
        category=random.choice(CATEGORIES),
        priority=random.choice(PRIORITIES),
        tags=tuple(tag for tag, share in _TAGS.items() if random.random() < share),
        archived=random.random() < 0.2,
        superseded_by="mem-00000000" if random.random() < 0.1 else None,
        trust="untrusted" if random.random() < 0.2 else "agent",
    )

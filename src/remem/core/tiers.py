"""In which order are a scope's files disclosed? Each has a tier, by its name or its gate.

| tier        | in a group    | in main         | what it holds                |
|-------------|---------------|-----------------|------------------------------|
| P0          | attention.md  | attention.md    | tasks, blockers              |
| P1          | project.md    | longterm.md     | what lasts                   |
| P2          | experience.md | daily-synced.md | what was learned             |
| P3          | people.md     | projects/       | people; one project          |
| conventions | conventions/  |                 | details, only when referred to |
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, cast, get_args

Tier = Literal["P0", "P1", "P2", "P3", "conventions"]
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)

_BY_NAME: Final[dict[str, Tier]] = {
    "attention.md": "P0",
    "project.md": "P1",
    "longterm.md": "P1",
    "experience.md": "P2",
    "daily-synced.md": "P2",
    "people.md": "P3",
}
_CONVENTIONS: Final = "conventions/"


def tier_of(file: str, said: str = "") -> Tier:
    """The tier of a file, named from its scope's folder; `said` is what the gate calls it.

    A file that nobody gave a tier comes last. A convention is one whatever a gate says.
    """
    name = same_file(file)
    if name.startswith(_CONVENTIONS):
        return "conventions"
    if said in TIERS and said != "conventions":
        return cast("Tier", said)
    return _BY_NAME.get(name, "P3")


def same_file(file: str) -> str:
    """What two names of a file have in common on some disk: no case, one spelling."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())

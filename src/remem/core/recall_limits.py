"""How much may a recall be asked for, and in which format?"""

from __future__ import annotations

from typing import Final, Literal, get_args

RecallFormat = Literal["brief", "detailed"]
RECALL_FORMATS: Final[tuple[RecallFormat, ...]] = get_args(RecallFormat)

SMALLEST_BUDGET: Final = 100
LARGEST_BUDGET: Final = 10_000_000
MOST_ENTRIES: Final = 10_000

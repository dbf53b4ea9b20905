"""Does the QMD installation beside this memory know what brain/areas says?"""

from __future__ import annotations

from collections.abc import Iterator

from remem.config import Config
from remem.core.scope import MAIN
from remem.maintenance.doctor.finding import Finding
from remem.maintenance.qmd import behind
from remem.notes.layout import Layout


def qmd_findings(layout: Layout, config: Config) -> Iterator[Finding]:
    reason = behind(layout) if config.qmd else None
    if reason is not None:
        yield Finding(
            str(MAIN),
            "brain/areas",
            "notice",
            reason,
            "remem finds what stands there; a search with QMD may not",
            "mend the reason; `remem synthesize` lets QMD read again",
        )

"""Which facts cannot be read? A file that is broken keeps its bytes, and hides what is behind the
break from every answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from remem.maintenance.doctor.finding import Finding
from remem.notes.entity_file import NAMES_FILE
from remem.notes.fact_files import FactFile, Known

_BY_HAND: Final = "mend it by hand, or take it from a backup; remem does not touch it until then"


def told(known: Known) -> Iterator[Finding]:
    yield from (_of_file(each) for each in known.files if each.trouble)
    if known.unnamed:
        meaning = "entities go by their folders' names: aliases and merged ones are not known"
        yield Finding("main", NAMES_FILE, "damage", known.unnamed, meaning, _BY_HAND)


def _of_file(file: FactFile) -> Finding:
    what = file.trouble or ""
    if file.refused:
        meaning, repair = "its facts are not told", "put the file itself into its place"
        return Finding("main", file.path, "notice", what, meaning, repair)
    meaning = "what stands behind that place is told by no answer, search or summary"
    return Finding("main", file.path, "damage", what, meaning, _BY_HAND)

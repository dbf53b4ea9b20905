"""The plan of a page and the result of a synthesis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from remem.model.page import Point
from remem.search.qmd import QmdState
from remem.text.marked_line import add_mark

SUMMARY = "summary.md"


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The plan of a page at `path`, relative to the workspace.

    `about` names what it is about, and `made_from` the file that it is made from. `lead` is its
    first line. `titles` are headings that an earlier version may have. `fact_texts` are the folded
    texts of facts, which are not proposed again. `names` may be used in sentences about it.
    `about_entity` means that its points are facts about an entity; `only_existing` means that the
    page is updated if it exists, but not created. `language` is the language of the headings.
    """

    path: str
    title: str
    about: str
    made_from: str
    lead: str
    points: Sequence[Point]
    titles: frozenset[str] = frozenset()
    fact_texts: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    about_entity: bool = False
    only_existing: bool = False
    language: str = ""

    @property
    def points_digest(self) -> str:
        """A digest that is equal for pages with the same points."""
        points = [
            (point.source, point.text, point.group, point.day, point.state)
            + ((point.subgroup,) if point.subgroup else ())
            for point in self.points
        ]
        return blake2b(json.dumps(points).encode(), digest_size=5).hexdigest()

    def lead_line(self, *, prose: bool) -> str:
        """Return the first line, with a mark that names the page's source and its digest."""
        digest = f"{self.points_digest}{'+prose' if prose else ''}"
        return add_mark(self.lead, (self.made_from, digest))


@dataclass(frozen=True, slots=True)
class ProposedFact:
    """A person's line that could be a fact; `instead_of` is the fact whose line was edited."""

    entity: str
    text: str
    instead_of: str | None
    command: str


@dataclass(frozen=True, slots=True)
class PageResult:
    """The result for one page.

    `points` counts its points, `sentences` the sentences of a language model, and `dropped` those
    that no point supported. `rescued` are lines that a person wrote among the generated ones, now
    in a separate section. `removed` are the sources of lines that a person deleted, and that were
    restored because they are still true. `proposed` are a person's lines that could become facts.
    """

    path: str
    about: str
    changed: bool
    points: int
    sentences: int = 0
    dropped: int = 0
    rescued: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    proposed: tuple[ProposedFact, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The result of a synthesis.

    `model` is the reason if a language model was not used or failed. `qmd` is the state of QMD, an
    external search tool; None if it is not configured.
    """

    pages: tuple[PageResult, ...]
    model: str | None = None
    qmd: QmdState | None = None
    problems: tuple[str, ...] = ()

"""MEMORY.md files, from the untouched template to one that grew for years."""

from __future__ import annotations

from dataclasses import dataclass

from tests.samples.sections import CATEGORIES, Sections
from tests.samples.world import Statement, World

TEMPLATE, TIDY, LARGE, GROWN = 400, 3_000, 25_000, 60_000


@dataclass(frozen=True, slots=True)
class Written:
    """A file's text, and the statements that stand in it."""

    text: str
    said: frozenset[Statement]


def memory_md(world: World, size: int, purpose: str = "MEMORY.md") -> Written:
    """About `size` bytes: nothing, the template, a tidy file or a grown one."""
    if size == 0:
        return Written("", frozenset())
    if size < 1_000:
        return Written(world.phrases.files["MEMORY.template.md"], frozenset())
    sections = Sections(world, world.random(purpose))
    lines = _tidy(world, sections, size) if size < 10_000 else _grown(world, sections, size)
    return Written("\n".join(lines).rstrip("\n") + "\n", frozenset(sections.said))


def _tidy(world: World, sections: Sections, size: int) -> list[str]:
    """A section for each category, of the same length each."""
    lines = ["# MEMORY.md", ""]
    for number, category in enumerate(CATEGORIES, start=1):
        lines += [f"## {world.phrases.headings[category][0]}", ""]
        waiting = sections.by_category[category]
        while waiting and size_of(lines) < size * number / len(CATEGORIES):
            lines.append(f"- {sections.say(waiting.pop())}")
        lines.append("")
    return lines


def _grown(world: World, sections: Sections, size: int) -> list[str]:
    """Sections as they came, and in between the blocks that hold the shapes of life."""
    lines = [f"# MEMORY.md - {world.phrases.words['owner'][0]}", ""]
    blocks = list(world.phrases.blocks.values())
    placed = 0
    while (written := size_of(lines)) < size:
        if placed < len(blocks) and written >= size * (placed + 0.5) / len(blocks):
            lines += [*blocks[placed].split("\n"), ""]
            placed += 1
        else:
            lines += [*sections.next(at_most=size - written), ""]
    return lines


def size_of(lines: list[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)

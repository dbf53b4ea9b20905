"""In which words do the samples speak? Reads the made-up text of a language from `text/`.

A section begins with `== kind name`. Lists are separated by ` | `, wordings of one statement by
` || `, a statement from the question that it answers by ` ?? `. `{person}` stands for one of the
words called person, `{3-9}` for a number, `{date}` and `{time}` for what they say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random

TEXT = Path(__file__).parent / "text"
LANGUAGES = ("english", "chinese", "japanese", "russian", "mixed")
FIRST_DAY, LAST_DAY = date(2023, 11, 20), date(2026, 11, 14)

_SLOT = re.compile(r"\{([a-z]+|\d+-\d+)\}")
_TAKEN_ONCE = frozenset({"person", "database", "machine", "model"})


@dataclass(frozen=True, slots=True)
class Line:
    """Something that can be said, in several wordings, and how one may ask for it."""

    category: str
    says: tuple[str, ...]
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrases:
    """All that a language has to say."""

    words: dict[str, tuple[str, ...]]
    about: dict[str, tuple[Line, ...]]
    say: tuple[Line, ...]
    events: tuple[str, ...]
    status: tuple[str, ...]
    headings: dict[str, tuple[str, ...]]
    slugs: tuple[str, ...]
    blocks: dict[str, str]
    files: dict[str, str]

    def fill(self, template: str, random: Random, **fixed: str) -> str:
        """The template with its slots filled; one sentence does not name a person twice."""
        text = self._filled(template, random, fixed)
        return text[0].upper() + text[1:] if text.startswith(("the ", "a ")) else text

    def _filled(self, template: str, random: Random, fixed: dict[str, str]) -> str:
        used: set[str] = set()

        def value(slot: re.Match[str]) -> str:
            name = slot[1]
            if name in fixed:
                return fixed[name]
            free = [word for word in self._choices(name, random) if word not in used]
            chosen = random.choice(free)
            if name in _TAKEN_ONCE:
                used.add(chosen)
            return self._filled(chosen, random, fixed)

        return _SLOT.sub(value, template)

    def _choices(self, name: str, random: Random) -> tuple[str, ...]:
        if "-" in name:
            low, high = name.split("-")
            return (str(random.randint(int(low), int(high))),)
        if name == "date":
            return (any_day(random).isoformat(),)
        if name == "time":
            return (f"{random.randint(6, 22):02d}:{random.choice((0, 10, 15, 20, 30, 45)):02d}",)
        return self.words[name]


def any_day(random: Random) -> date:
    """A day of the three years; the last one has as many as the two before it."""
    newest = (LAST_DAY - FIRST_DAY).days
    oldest = random.choice((0, newest * 2 // 3))
    return FIRST_DAY + timedelta(days=random.randint(oldest, newest))


@cache
def phrases(language: str) -> Phrases:
    """The language's text, of all files that begin with its name."""
    parts: dict[tuple[str, str], list[str]] = {}
    for path in sorted(TEXT.glob(f"{language}*.txt")):
        for kind, name, lines in _sections(path):
            parts[kind, name] = lines
    named = {kind: {n: v for (k, n), v in parts.items() if k == kind} for kind, _ in parts}
    return Phrases(
        words={name: _list(lines) for name, lines in named["words"].items()},
        about={name: tuple(map(_line, lines)) for name, lines in named["about"].items()},
        say=tuple(map(_line, parts["say", ""])),
        events=tuple(parts["events", ""]),
        status=tuple(parts["status", ""]),
        headings={name: _list(lines) for name, lines in named["headings"].items()},
        slugs=_list(parts["slugs", ""]),
        blocks={name: "\n".join(lines) for name, lines in named["block"].items()},
        files={name: "\n".join(lines) + "\n" for name, lines in named["file"].items()},
    )


def _sections(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, name and lines of each; empty lines count in files and blocks only, and not last."""
    for section in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        kind, _, name = title.partition(" ")
        lines = body.rstrip("\n").split("\n")
        yield kind, name, lines if kind in ("block", "file") else [x for x in lines if x]


def _list(lines: list[str]) -> tuple[str, ...]:
    return tuple(word.strip() for line in lines for word in line.split(" | "))


def _line(line: str) -> Line:
    category, _, rest = line.partition(": ")
    says, _, asks = rest.partition(" ?? ")
    return Line(category, tuple(says.split(" || ")), tuple(asks.split(" || ")) if asks else ())

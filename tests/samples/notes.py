"""The files below memory/: daily notes of three years under all the names that people use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from random import Random

from tests.samples.phrases import any_day
from tests.samples.world import Statement, World

BUSY_DAY = date(2026, 3, 9)
BUSY_DAY_NOTES = 19
_FOLDERS = "archive projects people decisions lessons learning/cycles tasks errors diary".split()


def notes(world: World, count: int, statements: Iterable[Statement]) -> dict[str, str]:
    """Path → text of `count` notes; every statement stands in one of them."""
    random = world.random("notes")
    paths = _paths(world, count, random)
    shares: list[list[Statement]] = [[] for _ in paths]
    for statement in statements:
        random.choice(shares).append(statement)
    return {
        path: _note(world, day, share, random)
        for (path, day), share in zip(paths.items(), shares, strict=True)
    }


def _paths(world: World, count: int, random: Random) -> dict[str, date]:
    """The names, each with its day; every form in the share that it has in life."""
    paths: dict[str, date] = {}
    forms: list[Callable[[World, date, Random], str]] = [_plain, _slugged, _slug_first]
    forms += [_hook, _underscored, _compact, _month, _week, _numeric, _topic]
    weights = (40, 12, 12, 2, 1, 5, 2, 2, 4, 20)
    busy = BUSY_DAY_NOTES if count > 2 * BUSY_DAY_NOTES else 2
    paths[f"memory/{BUSY_DAY}.md"] = BUSY_DAY
    while len(paths) < busy:
        name = random.choice((_slugged, _hook))(world, BUSY_DAY, random)
        paths[f"memory/{name}.md"] = BUSY_DAY
    while len(paths) < count:
        day = any_day(random)
        if day != BUSY_DAY:
            form = random.choices(forms, weights)[0]
            paths.setdefault(f"memory/{form(world, day, random)}.md", day)
    return paths


def _slug(world: World, random: Random) -> str:
    return random.choice(world.phrases.slugs)


def _plain(_world: World, day: date, _random: Random) -> str:
    return f"{day}"


def _slugged(world: World, day: date, random: Random) -> str:
    number = random.choice(("", "", f"-{random.randint(2, 9)}"))
    return f"{day}-{_slug(world, random)}{number}"


def _slug_first(world: World, day: date, random: Random) -> str:
    return f"{_slug(world, random)}-{day}"


def _hook(_world: World, day: date, random: Random) -> str:
    return f"{day}-{random.randint(6, 23):02d}{random.randint(0, 59):02d}"


def _underscored(world: World, day: date, random: Random) -> str:
    return f"{day}_{_slug(world, random)}"


def _compact(_world: World, day: date, _random: Random) -> str:
    return f"{day:%Y%m%d}"


def _month(_world: World, day: date, _random: Random) -> str:
    return f"archive/{day:%Y-%m}"


def _week(_world: World, day: date, _random: Random) -> str:
    year, week, _ = day.isocalendar()
    return f"review/{year}-W{week:02d}"


def _numeric(_world: World, _day: date, random: Random) -> str:
    return f"tasks/{random.randint(1000, 99999)}"


def _topic(world: World, _day: date, random: Random) -> str:
    subject = random.choice(world.statements).subject or _slug(world, random)
    return f"{random.choice(_FOLDERS)}/{subject.replace('/', '-')}"


def _note(world: World, day: date, share: list[Statement], random: Random) -> str:
    lines = _opening(world, day, random)
    waiting = [statement.text for statement in share]
    # Three of a hundred are as long as those of people who write everything down.
    usual = random.randint(2, 6) if random.random() > 0.03 else random.randint(30, 60)
    for _ in range(max(usual, len(waiting) // 3)):
        lines += _section(world, waiting, random)
    lines += [f"- {text}" for text in waiting]
    # Three of a hundred end without a newline.
    return "\n".join(lines) + ("\n" if random.random() > 0.03 else "")


def _opening(world: World, day: date, random: Random) -> list[str]:
    """How a note begins; two of a hundred bear another day than their name."""
    if random.random() < 0.02:
        day -= timedelta(days=1)
    title = world.heading("daily", random)
    kind = random.choices("date+title title date h2 matter none".split(), (63, 18, 7, 7, 3, 2))[0]
    if kind == "h2":
        return ["", f"## {world.heading('note', random)}", f"- {world.event(random)}"]
    if kind == "matter":
        return ["---", f"date: {day}", f"tags: [{_slug(world, random)}]", "---", "", f"# {title}"]
    if kind == "none":
        return [world.event(random)]
    first = {"date+title": f"# {day} {title}", "title": f"# {title}", "date": f"# {day}"}[kind]
    return [first, ""]


def _section(world: World, waiting: list[str], random: Random) -> list[str]:
    """A heading and what belongs below it: bullets mostly, now and then a table or some code."""
    lines = [f"## {world.heading('note', random)}"]
    kind = random.choices(("bullets", "prose", "table", "code"), (80, 8, 6, 6))[0]
    done = [world.event(random) for _ in range(random.randint(2, 7))]
    if kind == "prose":
        return [*lines, " ".join(done), ""]
    if kind == "table":
        rows = [f"| {n} | {text} |" for n, text in enumerate(done, start=1)]
        return [*lines, "| # | |", "|---|---|", *rows, ""]
    if kind == "code":
        return [*lines, "```", *(f"$ step {n}  # {x}" for n, x in enumerate(done, 1)), "```", ""]
    if waiting:
        done.insert(random.randint(0, len(done)), waiting.pop())
    if random.random() < 0.2:
        done.append(world.status(random))
    stamp = f"{random.randint(6, 22):02d}:{random.randint(0, 59):02d} "
    mark = f"- {stamp}" if random.random() < 0.05 else "- "
    return [*lines, *(f"{mark}{text}" for text in done), ""]

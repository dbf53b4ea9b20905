"""The sections of a grown file; half of the headings do not describe what is below."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from tests.samples.phrases import any_day
from tests.samples.world import Statement, World

CATEGORIES = ("instruction", "fact", "project", "insight", "person", "decision", "preference")
_SHARE_OF_STATEMENTS = 0.7  # the rest stands in the notes, where search has to find it


class Sections:
    """Makes section after section; `said` are the statements that were used up."""

    def __init__(self, world: World, random: Random) -> None:
        """Half of the subjects get a section of their own; the rest goes by category."""
        self.world, self.random = world, random
        self.said: set[Statement] = set()
        self.by_subject: dict[str, list[Statement]] = defaultdict(list)
        self.by_category: dict[str, list[Statement]] = defaultdict(list)
        self._events: list[str] = []
        names = sorted({statement.subject for statement in world.statements if statement.subject})
        own = {name for name in names if random.random() < 0.5}
        for statement in world.statements:
            if random.random() >= _SHARE_OF_STATEMENTS:
                continue
            if statement.subject in own and random.random() < 0.8:
                self.by_subject[statement.subject].append(statement)
            else:
                self.by_category[statement.category].append(statement)

    def next(self, at_most: int) -> list[str]:
        """A section; a log stops when it has that many bytes, the others are short."""
        kind = self.random.choices(("topic", "category", "log"), (9, 8, 2))[0]
        if kind == "topic" and self.by_subject:
            return self._topic()
        if kind == "category" and any(self.by_category.values()):
            return self._category_section()
        return self._log(at_most)

    def say(self, statement: Statement) -> str:
        self.said.add(statement)
        return statement.text

    def _topic(self) -> list[str]:
        """A subject's own name as the heading; what stands below is of any kind."""
        subject = self.random.choice(sorted(self.by_subject))
        body = [self.say(statement) for statement in self.by_subject.pop(subject)]
        body += [self._event() for _ in range(self.random.randint(0, 3))]
        level = self.random.choice(("##", "###"))
        name = subject[0].upper() + subject[1:]
        return [f"{level} {self._dressed(name)}", *self._bullets(body)]

    def _category_section(self) -> list[str]:
        category = self.random.choice([c for c in CATEGORIES if self.by_category[c]])
        waiting = self.by_category[category]
        taken = [waiting.pop() for _ in range(min(len(waiting), self.random.randint(5, 13)))]
        heading = f"## {self._dressed(self.world.heading(category, self.random))}"
        if category == "fact" and self.random.random() < 0.4:
            return [heading, *self._table(taken)]
        return [heading, *self._bullets([self.say(statement) for statement in taken])]

    def _log(self, at_most: int) -> list[str]:
        """Days below one heading: newest first, oldest first, or as it came."""
        days = [any_day(self.random) for _ in range(self.random.randint(1, 3))]
        order = self.random.choice(("newest", "oldest", "mixed"))
        if order != "mixed":
            days.sort(reverse=order == "newest")
        lines = [f"## {self.world.heading('log', self.random)}"]
        for day in days:
            if sum(len(line.encode()) for line in lines) > at_most:
                break
            written = self.random.choice((f"{day}", f"{day:%m-%d}", f"{day:%b} {day.day}"))
            done = [self._story() for _ in range(self.random.randint(5, 10))]
            lines += [f"### {written}", *self._bullets(done)]
            if self.random.random() < 0.5:
                lines.append(f"- {self.world.status(self.random)}")
        return lines

    def _table(self, taken: list[Statement]) -> list[str]:
        first, second = self.world.phrases.headings["table"]
        rows = [f"| {statement.subject or '-'} | {self.say(statement)} |" for statement in taken]
        return [f"| {first} | {second} |", "|---|---|", *rows]

    def _bullets(self, texts: list[str]) -> list[str]:
        """One mark for the section; a quarter of the bullets belongs to the one before."""
        mark = self.random.choices("-*", (9, 1))[0]
        depth, lines = 0, []
        for number, text in enumerate(texts):
            deeper = number > 0 and self.random.random() < 0.25
            depth = min(depth + 1, 2) if deeper else 0
            lines.append(f"{'  ' * depth}{mark} {text}")
        return lines

    def _dressed(self, heading: str) -> str:
        """Three headings of ten carry a date, one of ten an emoji."""
        day = any_day(self.random)
        if self.random.random() < 0.11:
            heading = f"{self.random.choice(self.world.phrases.words['emoji'])} {heading}"
        if self.random.random() < 0.3:
            short, month = f"{day:%m-%d}", f"{day:%b} {day.day}"
            dates = (f" ({day})", f"（{day}）", f" ({month})", f" (updated {short})")
            heading += self.random.choice(dates)
        return heading

    def _event(self) -> str:
        """What happened; once in thirty times it was written down before."""
        if self._events and self.random.random() < 0.03:
            return self.random.choice(self._events)
        self._events.append(self.world.event(self.random))
        return self._events[-1]

    def _story(self) -> str:
        """Several things in one bullet, as people write them in the evening."""
        return " ".join(self._event() for _ in range(self.random.randint(1, 4)))

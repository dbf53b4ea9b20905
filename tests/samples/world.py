"""The statements of a sample, on made-up people, projects and machines, each made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from tests.samples.phrases import Line, Phrases, phrases


@dataclass(frozen=True, slots=True)
class Statement:
    """A line that one can ask for; `subject` is whom or what it is about, if it is a name."""

    text: str
    category: str
    subject: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """The statements of a sample; the writers of files draw from them."""

    language: str
    seed: int
    phrases: Phrases
    statements: tuple[Statement, ...]

    def random(self, purpose: str) -> Random:
        """Chances of its own for every purpose: a change in one file leaves the others alone."""
        return Random(f"{self.seed} {self.language} {purpose}")

    def event(self, random: Random) -> str:
        return self.phrases.fill(random.choice(self.phrases.events), random)

    def status(self, random: Random) -> str:
        return self.phrases.fill(random.choice(self.phrases.status), random)

    def heading(self, kind: str, random: Random) -> str:
        return self.phrases.fill(random.choice(self.phrases.headings[kind]), random)


@cache
def world(language: str, seed: int) -> World:
    """The same world for the same seed."""
    said = phrases(language)
    random = Random(f"{seed} {language} world")
    statements = list(dict.fromkeys(_statements(said, random)))
    random.shuffle(statements)
    return World(language, seed, said, tuple(statements))


def _statements(said: Phrases, random: Random) -> Iterator[Statement]:
    for kind, lines in said.about.items():
        for subject in said.words[kind]:
            for line in lines:
                yield _statement(said, line, random, {kind: subject})
    for line in said.say:
        yield _statement(said, line, random, {})


def _statement(said: Phrases, line: Line, random: Random, subject: dict[str, str]) -> Statement:
    text = said.fill(random.choice(line.says), random, **subject)
    question = said.fill(random.choice(line.asks), random, **subject) if line.asks else ""
    return Statement(text, line.category, next(iter(subject.values()), ""), question)

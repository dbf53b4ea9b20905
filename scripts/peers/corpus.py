"""The data of the comparison: facts to store one by one, and questions about them.

`errands` is made here: each of its facts is asked for in its own words and in other words. A
conversation of a retrieval set (`--data`) is read as one fact a turn, the same text for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Final

from bench.conversations import Turn, read


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answers: frozenset[int]
    """The numbers of the facts that answer it."""


@dataclass(frozen=True, slots=True)
class Corpus:
    name: str
    facts: tuple[str, ...]
    questions: dict[str, tuple[Question, ...]]
    """By their form: each is reported alone."""


PEOPLE: Final = tuple(
    "Anna Bruno Chiara Dmitri Elif Farid Greta Hiroshi Ines Jakub "
    "Kemal Lucia Marek Noor Oskar Priya Quentin Rosa Stefan Tomoko".split()
)
TOPICS: Final = (
    ("{} sees the dentist on {}.", "dentist", "When are {}'s teeth looked at?"),
    ("{} parks the car in bay {}.", "car bay", "Where does {} leave the vehicle?"),
    ("{} is allergic to {}.", "allergic", "What must {} not eat?"),
    ("{} works as a nurse at {}.", "nurse works", "In which hospital is {} employed?"),
    ("{}'s daughter plays the {}.", "daughter plays", "Which instrument does {}'s child practise?"),
    ("{} pays the rent on day {} of the month.", "rent day", "When does {} owe the landlord?"),
    ("{} keeps the spare key under {}.", "spare key", "How do I get into {}'s flat in need?"),
    ("{} trains for the marathon in {}.", "marathon", "What long run is {} preparing for?"),
    ("{} reads novels by {}.", "novels", "Who is {}'s favourite author?"),
    ("{} drives to the cabin by {}.", "cabin", "Where does {} spend the holidays?"),
    ("{} backs up the laptop to {}.", "laptop backs up", "Where are copies of {}'s files?"),
    ("{} takes the coffee with {}.", "coffee", "How does {} like a hot drink?"),
    ("{} is learning {}.", "learning", "Which language does {} study?"),
    ("{} deploys the shop with {}.", "deploys shop", "How does {} release the web store?"),
    ("{} met the accountant about {}.", "accountant", "What tax matter did {} discuss?"),
    ("{} planted {} behind the house.", "planted", "What grows in {}'s garden?"),
    ("{} named the cat {}.", "cat named", "What is {}'s pet called?"),
    ("{} lent the drill to {}.", "lent drill", "Who borrowed a tool from {}?"),
    ("{} wants invoices as {}.", "invoices", "In which format does {} expect bills?"),
    ("{} swims at {} in the morning.", "swims morning", "Where does {} do laps before work?"),
    ("{} moved the meeting to room {}.", "meeting room", "Where do we gather with {}?"),
    ("{} has a flight to {} in May.", "flight May", "Where does {} travel in spring?"),
    ("{} bought a bicycle from {}.", "bicycle bought", "Which brand of bike does {} ride?"),
    ("{} calls the grandmother every {}.", "grandmother calls", "When does {} phone family?"),
    ("{} prefers the window seat in the {}.", "window seat", "Where does {} like to sit?"),
)
VALUES: Final = tuple(
    "Lisbon Oslo Kyoto Quito Tartu cello oboe zither Monday Thursday B7 C12 D3 sesame kiwi walnut "
    "Calvino Lem Woolf the-fern the-blue-pot Ansible Nomad Make rhubarb quince Mochi Pixel Gazelle "
    "Brompton Catalan Swahili Welsh PDF XML depreciation VAT oat-milk cardamom Riga Porto Bergen "
    "Basel St-Anna Charite the-lake the-dunes Restic Borg tram train Olga Yusuf Hedda".split()
)


def errands(facts: int, questions: int, seed: int = 20261116) -> Corpus:
    rng = Random(seed)
    pairs = [(person, topic) for topic in TOPICS for person in PEOPLE]
    rng.shuffle(pairs)
    chosen = pairs[:facts]
    texts = tuple(topic[0].format(person, rng.choice(VALUES)) for person, topic in chosen)
    asked = rng.sample(range(len(chosen)), min(questions, len(chosen)))
    own, other = [], []
    for number in asked:
        person, (_, words, plain) = chosen[number]
        own.append(Question(f"{person} {words}", frozenset({number})))
        other.append(Question(plain.format(person), frozenset({number})))
    return Corpus(
        "errands", texts, {"in its own words": tuple(own), "in other words": tuple(other)}
    )


def conversation(path: Path, questions: int) -> Corpus:
    """The first conversation of a retrieval set, one fact a turn, and questions about it."""
    (data,) = read(path, limit=1)
    numbers = {turn.id: number for number, turn in enumerate(data.turns)}
    asked = [
        Question(question.query, frozenset(numbers[turn] for turn in question.gold_turns))
        for question in data.questions
        if question.gold_turns and question.category != "adversarial"
    ]
    name = f"{path.name.split('.')[0]} {data.id}"
    chosen = Random(questions).sample(asked, min(questions, len(asked)))
    return Corpus(name, tuple(map(_fact, data.turns)), {"questions": tuple(chosen)})


def _fact(turn: Turn) -> str:
    day = datetime.fromisoformat(turn.date)
    return f"{turn.speaker}, {day.day} {day:%B %Y}: {turn.text}"

"""Questions about a sample, with the lines that answer them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.samples.odd_notes import ASKED
from tests.samples.phrases import LANGUAGES
from tests.samples.world import world


@dataclass(frozen=True, slots=True)
class Question:
    """The line counts from 1, as citations do; `answer` stands in it."""

    question: str
    path: str
    line: int
    answer: str


def questions(root: Path, seed: int = 1) -> list[Question]:
    """What stands in exactly one line of its Markdown, also where the file is odd."""
    places = _places(root)
    everything = "\n".join(text for text, _, _ in places)
    asked = [
        Question(question, path, number, words)
        for question, note, words in ASKED
        for text, path, number in places
        if path == note and words in text
    ]
    for language in LANGUAGES:
        for statement in world(language, seed).statements:
            if statement.question and everything.count(statement.text) == 1:
                path, line = next((p, n) for text, p, n in places if statement.text in text)
                asked.append(Question(statement.question, path, line, statement.text))
    return sorted(asked, key=lambda one: (one.path, one.line))


def _places(root: Path) -> list[tuple[str, str, int]]:
    """Every line that is not empty, with its path and number; links are not followed."""
    return [
        (line, path.relative_to(root).as_posix(), number)
        for path in sorted(root.rglob("*.md"))
        if not path.is_symlink()
        for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), start=1)
        if line.strip()
    ]

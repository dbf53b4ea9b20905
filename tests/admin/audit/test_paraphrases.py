"""What is said in other words is found by meaning; what only sounds alike is not."""

from __future__ import annotations

import pytest

from remem.admin.audit.duplicates import DuplicatePair, find_paraphrases
from remem.embed.minilm import MiniLM
from remem.errors import EmbedderError
from remem.text.statements import statements
from tests.embed.model import minilm, model_folder
from tests.tables import each_row

__all__ = ["minilm", "model_folder"]


def paraphrases(text: str, model: object) -> tuple[list[DuplicatePair], list[str]]:
    said = statements("MEMORY.md", text, always_loaded=True)
    return find_paraphrases(said, model, [], lambda _step: None)  # type: ignore[arg-type]


@pytest.mark.model
@each_row(
    ("one", "other"),
    [
        (
            "The owner wants short answers in the morning.",
            "In the morning the owner prefers brief replies.",
        ),
        (
            "The backup of the house server runs at night.",
            "Every night the server in the house is backed up.",
        ),
        (
            "David prefers short answers without introductions.",
            "David likes brief answers with no introduction.",
        ),
        (
            "The database password must never be written into tickets.",
            "Don't put the database password in tickets.",
        ),
        (
            "Lena wants to hear of every outage at once.",
            "At each outage tell Lena immediately.",
        ),
        (
            "Commit messages are written in English.",
            "Write all commit messages in English.",
        ),
    ],
)
def test_a_paraphrase_is_found(minilm: MiniLM, one: str, other: str) -> None:
    (pair,), _notes = paraphrases(f"- {one}\n- {other}\n", minilm)

    assert pair.kind == "paraphrased"
    assert 0.7 < pair.similarity < 1


@pytest.mark.model
@each_row(
    ("one", "other"),
    [
        (
            "The reverse proxy moved to the attic server.",
            "The password vault moved to the cellar server.",
        ),
        (
            "Anneke Dijk owns Quillbase and loves green tea.",
            "The owner of Quillbase is Wim, who loves green tea.",
        ),
        (
            "The backup of the house server runs at night.",
            "The server in the house is never backed up at night.",
        ),
        (
            "Never deploy to production without an approval.",
            "Deploying to production goes without an approval.",
        ),
        (
            "David really prefers quite short answers.",
            "David does not like short answers.",
        ),
        (
            "The backup of the house runs at 3 every night.",
            "Every night at 4 the house is backed up by itself.",
        ),
        (
            "The dog gets its food at seven in the morning.",
            "The cat gets its food at seven in the evening.",
        ),
    ],
)
def test_lines_that_only_sound_alike_are_not_paraphrases(
    minilm: MiniLM, one: str, other: str
) -> None:
    assert paraphrases(f"- {one}\n- {other}\n", minilm) == ([], [])


@pytest.mark.model
def test_lines_that_the_model_cannot_read_are_counted(minilm: MiniLM) -> None:
    text = "- 没有问过，绝对不给家人以外的人发消息。\n- The gate is red and old.\n"

    notes = ["paraphrases were not checked in 1 line: unsupported writing system"]
    assert paraphrases(text, minilm) == ([], notes)


def test_without_a_model_the_answer_says_so() -> None:
    notes = ["paraphrases were not checked: no model is installed"]
    assert paraphrases("- The gate is red and old.\n", "no model is installed") == ([], notes)


class Broken:
    def language_support(self, _text: str) -> bool:
        return True

    def embed(self, _texts: object) -> object:
        raise EmbedderError("the model is away")


def test_a_model_that_fails_takes_nothing_else_with_it() -> None:
    pairs, notes = paraphrases("- The gate is red.\n- The roof is green and new.\n", Broken())

    assert pairs == []
    assert "the model is away" in notes[0]

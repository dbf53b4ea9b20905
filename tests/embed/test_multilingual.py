"""The multilingual model: texts with the same meaning are near in all languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from remem.embed.multilingual import DIMENSION, Multilingual
from remem.errors import EmbedderError, ModelMissing

pytestmark = pytest.mark.model


def likeness(model: Multilingual, one: str, other: str) -> float:
    return float(model.embed([one])[0].pooled @ model.embed([other])[0].pooled)


@pytest.mark.parametrize(
    ("said", "alike", "other"),
    [
        ("我的狗叫小白", "你养的宠物叫什么", "今天股票涨了"),
        ("Die Nachbarn ziehen nach Portugal", "Wer wandert aus?", "Der Drucker ist kaputt"),
        ("Мы храним копии на сервере", "Где лежат бэкапы?", "Бабушка любит орхидеи"),
        ("My dog is called Pip", "你的狗叫什么名字", "La factura está pagada"),
    ],
)
def test_texts_with_the_same_meaning_are_near_within_and_across_languages(
    multilingual: Multilingual, said: str, alike: str, other: str
) -> None:
    assert likeness(multilingual, said, alike) > likeness(multilingual, said, other) + 0.1


def test_vectors_have_length_one_and_do_not_depend_on_the_batch(
    multilingual: Multilingual,
) -> None:
    alone = multilingual.embed(["一只猫"])[0].pooled
    in_company = multilingual.embed(["Hunde", "一只猫", "x" * 5000, "", "a\0b"])

    assert alone.shape == (DIMENSION,)
    assert all(
        np.isclose(np.linalg.norm(embedding.pooled), 1, atol=1e-5) for embedding in in_company
    )
    assert np.array_equal(alone, in_company[1].pooled)
    assert in_company[1].tokens is None


def test_the_vector_of_a_question_is_scaled(multilingual: Multilingual) -> None:
    asked = multilingual.embed_query("一只猫").pooled

    assert np.linalg.norm(asked) == pytest.approx(1.5, abs=1e-4)


def test_many_languages_are_fully_supported(multilingual: Multilingual) -> None:
    assert (
        multilingual.language_support("我的狗")
        == multilingual.language_support("Wo ist der Hund?")
        == 2
    )
    assert multilingual.language_support("Πού μένει η Άννα;") == 1


def test_a_closed_or_missing_model_is_an_error(tmp_path: Path) -> None:
    closed = Multilingual(tmp_path)
    closed.close()

    with pytest.raises(EmbedderError, match="was closed"):
        closed.embed(["一"])
    with pytest.raises(ModelMissing, match="remem models fetch multilingual"):
        Multilingual(tmp_path).embed(["一"])

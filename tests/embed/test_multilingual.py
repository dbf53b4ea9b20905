"""The multilingual model: texts with the same meaning are near in all languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from remem.embed.e5_encoder import COSINE_FACTOR
from remem.embed.multilingual import Multilingual
from remem.embed.word_table import DIMENSION
from remem.errors import EmbedderError, ModelMissing

pytestmark = pytest.mark.model


def likeness(model: Multilingual, question: str, text: str) -> float:
    return float(model.embed_query(question).pooled @ model.embed([text])[0].pooled)


@pytest.mark.parametrize(
    ("question", "alike", "other"),
    [
        ("你养的宠物叫什么", "我的狗叫小白", "今天股票涨了"),
        ("Wer wandert aus?", "Die Nachbarn ziehen nach Portugal", "Der Drucker ist kaputt"),
        ("Где лежат бэкапы?", "Мы храним копии на сервере", "Бабушка любит орхидеи"),
        ("你的狗叫什么名字", "My dog is called Pip", "La factura está pagada"),
        ("Quem cuida das cópias de segurança?", "Ines runs the backups", "我的狗叫小白"),
    ],
)
def test_texts_that_answer_a_question_are_near_within_and_across_languages(
    multilingual: Multilingual, question: str, alike: str, other: str
) -> None:
    assert likeness(multilingual, question, alike) > likeness(multilingual, question, other) + 0.1


def test_unrelated_texts_are_far_apart(multilingual: Multilingual) -> None:
    assert likeness(multilingual, "When is the dentist?", "Der Drucker ist kaputt") < 0.3


def test_vectors_have_length_one_and_do_not_depend_on_the_batch(
    multilingual: Multilingual,
) -> None:
    alone = multilingual.embed(["一只猫"])[0]
    in_company = multilingual.embed(["Hunde", "一只猫", "x" * 5000, "", "a\0b"])

    assert alone.pooled.shape == (DIMENSION,)
    assert all(
        np.isclose(np.linalg.norm(embedding.pooled), 1, atol=1e-5) for embedding in in_company
    )
    assert np.array_equal(alone.pooled, in_company[1].pooled)
    assert np.array_equal(alone.tokens, in_company[1].tokens)


def test_tokens_of_a_question_match_the_same_word_in_a_text(multilingual: Multilingual) -> None:
    """Also in another language; the tokens of the prefix are not among them."""
    query = multilingual.embed_query("Katzen")
    assert query.tokens is not None
    assert query.weights is not None

    def best(text: str) -> float:
        tokens = multilingual.embed([text])[0].tokens
        assert tokens is not None
        signs = np.unpackbits(tokens, axis=1).astype(np.float32) * 2 - 1
        return float((query.tokens @ signs.T).max())

    assert len(query.tokens) == len(query.weights) <= 3
    assert best("two cats and a parrot") > best("the invoice was paid")


def test_quick_vectors_are_comparable_with_the_models_own(multilingual: Multilingual) -> None:
    quick = multilingual.embed_quickly(["Zwei Katzen und ein Hund", "Die Rechnung ist bezahlt", ""])
    assert quick is not None
    query = multilingual.embed_query("Which pets are there?").pooled

    near, far, empty = (float(query @ embedding.pooled) for embedding in quick)

    assert near > far
    assert np.isfinite(empty)
    assert quick[0].tokens is not None
    assert len(quick[0].tokens) == len(multilingual.embed(["Zwei Katzen und ein Hund"])[0].tokens)


def test_the_vector_of_a_question_is_scaled(multilingual: Multilingual) -> None:
    asked = multilingual.embed_query("一只猫").pooled

    assert np.linalg.norm(asked) == pytest.approx(COSINE_FACTOR, abs=1e-4)


def test_the_prefix_and_the_centre_are_part_of_the_identity(tmp_path: Path) -> None:
    assert "prefix" in Multilingual(tmp_path).identity.quantisation


def test_frequent_words_of_every_language_are_known(multilingual: Multilingual) -> None:
    assert all(map(multilingual.knows, ("house", "insurance", "Haus", "casa")))
    assert not any(map(multilingual.knows, ("hosue", "insruance", "versichreung")))


def test_every_language_is_supported(tmp_path: Path) -> None:
    model = Multilingual(tmp_path)

    assert model.language_support("我的狗") == model.language_support("Πού μένει η Άννα;") == 2


def test_a_closed_or_missing_model_is_an_error(tmp_path: Path) -> None:
    closed = Multilingual(tmp_path)
    closed.close()

    with pytest.raises(EmbedderError, match="was closed"):
        closed.embed(["一"])
    with pytest.raises(ModelMissing, match="remem models fetch multilingual"):
        Multilingual(tmp_path).embed(["一"])

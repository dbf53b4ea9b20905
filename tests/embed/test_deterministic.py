from pathlib import Path

import numpy as np
import pytest

from remem.store.sqlite.entries import SqliteStore
from tests.deterministic import Deterministic


def cosine(left: str, right: str) -> float:
    one, other = Deterministic().embed([left, right])
    return float(one.pooled @ other.pooled)


def test_texts_that_share_words_are_nearer_than_those_that_do_not() -> None:
    wedding = "the wedding is in the lighthouse"

    near = cosine(wedding, "a wedding in a lighthouse")

    assert near > cosine(wedding, "pay rent on Monday") + 0.3


def test_parts_of_words_count_and_case_does_not() -> None:
    assert cosine("lighthouses", "lighthouse") > 0.6
    assert cosine("LIGHTHOUSE", "lighthouse") > 0.999


def test_the_vectors_are_the_same_on_every_machine_and_in_every_process() -> None:
    (tea,) = Deterministic().embed(["tea"])

    assert tea.tokens.tobytes().hex() == "4432d654b3cd2d8c105798627f81f5c7"


def test_a_question_finds_the_text_by_its_tokens() -> None:
    question = Deterministic().embed_query("lighthouse")
    near, far = (
        (np.unpackbits(text.tokens, axis=1).astype(np.float32) * 2 - 1) / np.sqrt(128)
        for text in Deterministic().embed(["the old lighthouse", "a quiet kitchen"])
    )

    assert (near @ question.tokens.T).max() > (far @ question.tokens.T).max() + 0.3


def test_it_refuses_to_work_inside_a_transaction(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "entries.db")

    with pytest.raises(RuntimeError, match="inside a transaction"):
        store.write(lambda _tx: Deterministic().embed(["tea"]))
    store.close()

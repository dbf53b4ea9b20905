import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from remem.embed.convert.bert_graph import build, quantize_rows
from remem.embed.model_files import MINILM, MODEL
from remem.embed.runtime import OnnxSession, load_session
from tests.embed.bert import WORDS, last_layer, random_weights
from tests.tiers import first_quick

WEIGHTS = random_weights()
TEXTS = [[1, 2], list(range(WORDS)), [7] * 5, [3, 1, 4, 1, 5, 9, 2, 6] * 12]


@pytest.fixture(scope="module")
def precise() -> OnnxSession:
    return load_session(build(WEIGHTS, int8=False))


@pytest.fixture(scope="module")
def small() -> OnnxSession:
    return load_session(build(WEIGHTS))


@pytest.mark.parametrize("ids", first_quick(TEXTS, 2), ids=len)
def test_the_graph_computes_bert(precise: OnnxSession, ids: list[int]) -> None:
    expected = last_layer(WEIGHTS, ids)

    pooled, tokens = precise.run(np.array(ids, np.int64))

    assert np.allclose(tokens, expected, rtol=1e-6, atol=1e-4)
    mean = expected.mean(axis=0)
    assert np.allclose(pooled, mean / np.linalg.norm(mean), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("ids", TEXTS, ids=len)
def test_with_8_bits_the_result_is_nearly_the_same(
    precise: OnnxSession, small: OnnxSession, ids: list[int]
) -> None:
    exact, near = precise.run(np.array(ids, np.int64)), small.run(np.array(ids, np.int64))

    assert float(exact[0] @ near[0]) > 0.99
    lengths = np.linalg.norm(exact[1], axis=1) * np.linalg.norm(near[1], axis=1)
    assert ((exact[1] * near[1]).sum(axis=1) / lengths).min() > 0.98


def test_a_wrong_weight_is_detected(precise: OnnxSession) -> None:
    name = "encoder.layer.3.attention.self.value.bias"
    bent = {**WEIGHTS, name: WEIGHTS[name] + 1}

    _, tokens = precise.run(np.array(TEXTS[1], np.int64))

    assert not np.allclose(tokens, last_layer(bent, TEXTS[1]), rtol=1e-6, atol=1e-4)


def test_the_same_weights_give_the_same_file() -> None:
    assert build(WEIGHTS) == build(random_weights())


def test_8_bits_take_a_quarter_of_the_size() -> None:
    assert len(build(WEIGHTS)) < 0.3 * len(build(WEIGHTS, int8=False))


@given(
    arrays.arrays(np.float32, (3, 8), elements=st.floats(-1e6, 1e6, width=32)),
    st.sampled_from([63, 127]),
)
def test_quantized_values_stay_in_range_and_near_the_original(matrix: np.ndarray, top: int) -> None:
    rows, scales = quantize_rows(matrix, top)

    assert np.abs(rows.astype(int)).max() <= top
    assert (np.abs(rows * scales - matrix) <= scales * 0.501).all()


def test_two_products_of_the_largest_values_fit_16_bits() -> None:
    """Else CPUs without VNNI would cut the sum off, and give other vectors than the rest."""
    assert 2 * 255 * 63 < 2**15 <= 2 * 255 * 127


@pytest.mark.model
def test_the_identity_has_the_hash_of_the_real_model(model_folder: Path) -> None:
    digest = hashlib.sha256((model_folder / MODEL).read_bytes()).hexdigest()

    assert digest.startswith(MINILM.build)

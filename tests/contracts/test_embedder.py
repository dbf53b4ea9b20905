"""One suite for every Embedder: hashed words, the local model, and a model behind a server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.embed.endpoint import Endpoint
from remem.ports.models import Embedder, Embedding
from tests.deterministic import Deterministic
from tests.embed.loopback import serving
from tests.tables import each_row

TEXTS = [
    "We decided to hold the wedding in the old lighthouse.",
    "Ada prefers tea without sugar.",
    "The build fails when the cache is cold; clear it first.",
    "",
    "ok",
    "Überraschung! 我们喝茶 🎉",
    "The quick brown fox jumps over the lazy dog. " * 40,
]
HOSTILE = [
    "\x00",
    "nul \x00 inside",
    "\u202eright to left\u202c",
    "👩‍👩‍👧‍👦" * 50,
    "e" + "\u0301" * 500,
    "\ufeff\ufffd\ufffe",
    "[CLS] [SEP] [PAD] [MASK]",
    " \t\r\n\u2028\u3000",
    '"; DROP TABLE entries; --',
    "\U0010ffff",
]


@pytest.fixture(
    params=["deterministic", pytest.param("minilm", marks=pytest.mark.model), "endpoint"]
)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    match request.param:
        case "deterministic":
            yield Deterministic()
        case "minilm":
            yield request.getfixturevalue("minilm")
        case "endpoint":
            with serving() as server:
                endpoint = Endpoint(server.url, "deterministic", batch=3)
                yield endpoint
                endpoint.close()


def alike(one: Embedding, other: Embedding) -> bool:
    if one.tokens is None or other.tokens is None:
        return np.allclose(one.pooled, other.pooled, atol=1e-6) and one.tokens is other.tokens
    return np.allclose(one.pooled, other.pooled, atol=1e-6) and np.array_equal(
        one.tokens, other.tokens
    )


def check(embedder: Embedder, text: str) -> None:
    """What holds of the vectors of any text."""
    (made,) = embedder.embed([text])
    asked = embedder.embed_query(text)
    for pooled in (made.pooled, asked.pooled):
        assert pooled.shape == (embedder.identity.dimension,)
        assert pooled.dtype == np.float32
        assert np.linalg.norm(pooled) == pytest.approx(1, abs=1e-5)
    assert float(made.pooled @ asked.pooled) > 0.999
    assert (made.tokens is None) == (asked.tokens is None) == (asked.weights is None)
    if made.tokens is None or asked.tokens is None or asked.weights is None:
        return
    assert made.tokens.dtype == np.uint8
    assert asked.tokens.dtype == asked.weights.dtype == np.float32
    assert made.tokens.shape == (len(asked.tokens), asked.tokens.shape[1] // 8)
    assert asked.weights.shape == (len(asked.tokens),)
    assert np.linalg.norm(asked.tokens, axis=1) == pytest.approx(1, abs=1e-4)
    assert (asked.weights > 0).all()
    assert np.array_equal(np.packbits(asked.tokens >= 0, axis=1), made.tokens)


@each_row("text", TEXTS, ids=lambda text: repr(text[:12]))
def test_a_text_has_a_vector_of_length_one_and_its_question_the_same(
    embedder: Embedder, text: str
) -> None:
    check(embedder, text)


@pytest.mark.hostile
@each_row("text", HOSTILE, ids=ascii)
def test_hostile_text_is_text(embedder: Embedder, text: str) -> None:
    check(embedder, text)


@pytest.mark.hostile
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_text_is_text(embedder: Embedder, text: str) -> None:
    check(embedder, text)


@each_row("unit", ["x", "word ", "字", "🎉", "\x00"])
def test_a_line_of_ten_megabytes_is_read_as_far_as_the_model_reads(
    embedder: Embedder, unit: str
) -> None:
    check(embedder, (unit * 10_000_000)[:10_000_000])


def test_the_same_text_gives_the_same_vectors(embedder: Embedder) -> None:
    first, second = embedder.embed(TEXTS), embedder.embed(TEXTS)

    assert all(map(alike, first, second))


def test_a_text_does_not_depend_on_its_company(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS + HOSTILE)

    alone = [embedder.embed([text])[0] for text in TEXTS + HOSTILE]

    assert all(map(alike, together, alone))


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    forth, back = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])

    assert all(map(alike, forth, back[::-1]))
    assert not alike(forth[0], forth[1])


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_quick_vectors_have_the_form_of_the_others_or_there_are_none(embedder: Embedder) -> None:
    texts = TEXTS + HOSTILE
    quick = embedder.embed_quickly(texts)
    if quick is None:
        assert embedder.embed_quickly([]) is None
        return

    assert embedder.embed_quickly([]) == []
    for rough, own in zip(quick, embedder.embed(texts), strict=True):
        assert rough.pooled.shape == own.pooled.shape
        assert rough.pooled.dtype == own.pooled.dtype
        assert np.linalg.norm(rough.pooled) == pytest.approx(1, abs=1e-5)
        assert rough.tokens is not None
        assert own.tokens is not None
        assert rough.tokens.shape == own.tokens.shape


def test_texts_may_come_as_a_tuple(embedder: Embedder) -> None:
    assert len(embedder.embed(tuple(TEXTS))) == len(TEXTS)


def test_a_question_is_nearer_to_a_text_that_shares_its_words(embedder: Embedder) -> None:
    question = embedder.embed_query("Where is the old lighthouse of the wedding?").pooled

    scores = [float(vector.pooled @ question) for vector in embedder.embed(TEXTS[:3])]

    assert int(np.argmax(scores)) == 0


def test_the_identity_stays_and_names_its_dimension(embedder: Embedder) -> None:
    identity = embedder.identity
    embedder.embed(TEXTS)

    assert embedder.identity == identity
    assert str(identity).split("/")[1] == str(identity.dimension)


def test_plain_english_is_read(embedder: Embedder) -> None:
    assert embedder.language_support("Where do we get married?")


def test_threads_may_share_an_embedder(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: embedder.embed(TEXTS), range(6)))

    assert all(all(map(alike, expected, result)) for result in results)


def test_closing_twice_is_closing_once() -> None:
    for embedder in (Deterministic(), Endpoint("http://localhost", "m")):
        embedder.close()
        embedder.close()

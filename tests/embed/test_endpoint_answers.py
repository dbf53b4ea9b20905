import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embed.endpoint import parse_vectors
from remem.errors import EmbedderError
from tests.tables import each_row


def answer(*items: object) -> bytes:
    return json.dumps({"data": items}).encode()


def item(index: object, *numbers: object) -> dict[str, object]:
    return {"index": index, "embedding": list(numbers)}


def test_vectors_come_in_the_order_of_the_texts_and_with_length_one() -> None:
    rows = parse_vectors(answer(item(2, 0, -5), item(0, 3, 4), item(1, 1, 0)), 3)

    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [1, 0], [0, -1]]))


def test_vectors_without_an_index_keep_their_order() -> None:
    rows = parse_vectors(answer({"embedding": [1, 0]}, {"embedding": [0, 1]}), 2)

    assert rows.tolist() == [[1, 0], [0, 1]]


LIES = {
    "no JSON": b"<html>Bad Gateway</html>",
    "nothing": b"",
    "no object": b"[1, 2]",
    "no data": b'{"object": "list"}',
    "data of another kind": b'{"data": {"embedding": [1]}}',
    "items of another kind": answer([1.0, 2.0]),
    "too deep": b"[" * 100_000,
    "too few": answer(),
    "too many": answer(item(0, 1.0), item(1, 1.0)),
    "twice the same": answer(item(1, 1.0)),
    "an index that is a list": answer(item([0], 1.0)),
    "an index that is true": answer(item(True, 1.0)),
    "an empty vector": answer(item(0)),
    "no vector": answer({"index": 0}),
    "a vector in base64": answer({"index": 0, "embedding": "AACAPwAAAAA="}),
    "numbers as text": answer(item(0, "1.0", "2.0")),
    "null among the numbers": answer(item(0, 1.0, None)),
    "a list among the numbers": answer(item(0, 1.0, [2.0])),
    "not a number": b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
    "infinity": b'{"data": [{"index": 0, "embedding": [Infinity, 1.0]}]}',
    "too large for 32 bits": answer(item(0, 1e300, 1.0)),
    "too large for 64 bits": b'{"data": [{"index": 0, "embedding": [1%s, 1]}]}' % (b"0" * 400),
    "zeros": answer(item(0, 0.0, 0.0)),
}


@each_row("lie", LIES.values(), ids=LIES.keys())
def test_an_answer_with_other_vectors_is_an_error(lie: bytes) -> None:
    with pytest.raises(EmbedderError):
        parse_vectors(lie, 1)


def test_vectors_of_different_dimensions_are_an_error_that_names_them() -> None:
    with pytest.raises(EmbedderError, match=r"\[2, 3\]"):
        parse_vectors(answer(item(0, 1.0, 2.0), item(1, 1.0, 2.0, 3.0)), 2)


@given(st.binary(max_size=200))
def test_random_bytes_raise_only_embedder_errors(data: bytes) -> None:
    with pytest.raises(EmbedderError):
        parse_vectors(data, 1)

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embed.convert.onnx_file import read_tensors
from remem.errors import EmbedderError
from tests.tables import each_row


def written(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def test_tensors_are_read_with_name_shape_and_values() -> None:
    wide, whole = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([5, -1])
    header = {
        "__metadata__": {"format": "pt"},
        "wide": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "whole": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
    }

    found = read_tensors(written(header, wide.tobytes() + whole.tobytes()))

    assert found.keys() == {"wide", "whole"}
    assert np.array_equal(found["wide"], wide)
    assert np.array_equal(found["whole"], whole)


@each_row(
    "entry",
    [
        {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 20]},
        {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 4000]},
        {"dtype": "F99", "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1]},
        "no entry",
    ],
)
def test_a_header_that_does_not_match_the_data_is_an_error(entry: object) -> None:
    with pytest.raises(EmbedderError, match="not a safetensors file"):
        read_tensors(written({"tensor": entry}, bytes(24)))


@given(st.binary(max_size=64))
def test_random_bytes_raise_only_embedder_errors(data: bytes) -> None:
    with pytest.raises(EmbedderError):
        read_tensors(data)

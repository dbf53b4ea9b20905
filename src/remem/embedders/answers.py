"""Are these the vectors that were asked for? Reads an answer of `/v1/embeddings`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from remem.errors import EmbedderError, shown
from remem.ports import Floats


def vectors(answer: bytes, count: int) -> Floats:
    """One row of length one per text, in the order of the texts."""
    rows = _in_order(_items(answer), count)
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise EmbedderError(f"the vectors have different dimensions: {sorted(lengths)}")
    try:
        with np.errstate(over="ignore"):  # too large for a float32 is infinite, and found below
            matrix = np.array(rows, np.float64).astype(np.float32)
    except OverflowError as error:
        raise EmbedderError("a vector holds a number that is too large") from error
    norms = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise EmbedderError("a vector holds a number that is not finite")
    if not (norms > 0).all():
        raise EmbedderError("a vector is zero, which has no direction")
    unit: Floats = (matrix / norms).astype(np.float32)
    return unit


def _items(answer: bytes) -> list[Any]:
    try:
        items = json.loads(answer)["data"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise EmbedderError(f"the answer is not a list of vectors: {_excerpt(answer)}") from error
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise EmbedderError(f"the answer is not a list of vectors: {_excerpt(answer)}")
    return items


def _in_order(items: list[dict[str, Any]], count: int) -> list[list[float]]:
    """The vectors by their `index`; a server that gives none is taken at its order."""
    indices = [item.get("index", place) for place, item in enumerate(items)]
    if len(items) != count or sorted(map(repr, indices)) != sorted(map(repr, range(count))):
        raise EmbedderError(
            f"{count} texts gave {len(items)} vectors, with indices {shown(indices)}"
        )
    rows: list[list[float]] = [[]] * count
    for index, item in zip(indices, items, strict=True):
        row = item.get("embedding")
        if not isinstance(row, list) or not all(type(x) in (int, float) for x in row):
            raise EmbedderError(f"a vector is not a list of numbers: {shown(row)}")
        rows[index] = row
    return rows


def _excerpt(answer: bytes) -> str:
    return shown(answer[:200].decode(errors="replace"), 100)

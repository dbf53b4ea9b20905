"""Random weights in the shapes of the real model, and BERT in plain numpy."""

from __future__ import annotations

from math import erf

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float32]]
Matrix = NDArray[np.float64]

WIDTH, LAYERS, HEADS, WORDS = 384, 6, 12, 40
DENSE = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (4 * WIDTH, WIDTH),
    "output.dense": (WIDTH, 4 * WIDTH),
}


def shapes() -> dict[str, tuple[int, ...]]:
    """Every tensor that the graph reads; the vocabulary is small."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (512, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{number}." for number in range(LAYERS)):
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
        for name, shape in DENSE.items():
            found |= {f"{layer}{name}.weight": shape, f"{layer}{name}.bias": shape[:1]}
    for norm in norms:
        found |= {f"{norm}.weight": (WIDTH,), f"{norm}.bias": (WIDTH,)}
    return found


def random_weights(seed: int = 1, spread: float = 0.05) -> Weights:
    chance = np.random.default_rng(seed)
    weights = {
        name: chance.standard_normal(shape, np.float32) * np.float32(spread)
        for name, shape in shapes().items()
    }
    for name in weights:
        if name.endswith("LayerNorm.weight"):
            weights[name] += 1
    return weights


def last_layer(weights: Weights, ids: list[int]) -> Matrix:
    """What BERT makes of a text, token by token."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    words = w["embeddings.word_embeddings.weight"][ids]
    places = w["embeddings.position_embeddings.weight"][: len(ids)]
    hidden = _norm(
        w, "embeddings.LayerNorm", words + places + w["embeddings.token_type_embeddings.weight"][0]
    )
    for layer in (f"encoder.layer.{number}." for number in range(LAYERS)):
        mixed = _linear(w, f"{layer}attention.output.dense", _attend(w, layer, hidden))
        hidden = _norm(w, f"{layer}attention.output.LayerNorm", mixed + hidden)
        wide = _gelu(_linear(w, f"{layer}intermediate.dense", hidden))
        hidden = _norm(
            w, f"{layer}output.LayerNorm", _linear(w, f"{layer}output.dense", wide) + hidden
        )
    return hidden


def _attend(w: dict[str, Matrix], layer: str, hidden: Matrix) -> Matrix:
    query, key, value = (
        _linear(w, f"{layer}attention.self.{part}", hidden).reshape(len(hidden), HEADS, -1)
        for part in ("query", "key", "value")
    )
    scores = np.einsum("ihd,jhd->hij", query, key) / np.sqrt(WIDTH / HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", shares, value).reshape(len(hidden), WIDTH)


def _linear(w: dict[str, Matrix], name: str, x: Matrix) -> Matrix:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def _norm(w: dict[str, Matrix], name: str, x: Matrix) -> Matrix:
    centred = x - x.mean(axis=-1, keepdims=True)
    unit = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True))
    return unit * w[f"{name}.weight"] + w[f"{name}.bias"]


def _gelu(x: Matrix) -> Matrix:
    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))

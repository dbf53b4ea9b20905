"""What does all-MiniLM-L6-v2 compute? The model as an ONNX graph, made from its weights.

One text goes in (`ids`), two answers come out of the same pass: `pooled`, the text's unit
vector, and `tokens`, the last hidden layer. There is no batch and no mask: on a CPU a batch
gains nothing over texts one by one, and so a vector cannot depend on a text's company.

In 8 bits a weight row has one scale, and each token's activations have one of their own,
found as the graph runs. Weights use only ±63 of an int8: the sum of two products then fits
the 16 bits of the multiply-add that CPUs without VNNI have, and none of them cuts it off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.convert.onnx_file import MICROSOFT, Graph
from remem.embed.minilm import DIMENSION, LONGEST

Weights = Mapping[str, NDArray[Any]]

_LAYERS: Final = 6
_HEADS: Final = 12
_FLOAT: Final = 1  # ONNX's number for float32
_STABLE: Final = {"epsilon": 1e-12}


def build(weights: Weights, *, int8: bool = True) -> bytes:
    """The .onnx file; `int8=False` keeps every number in float32, to compare with."""
    net = _Net(weights, int8)
    hidden = net.embeddings()
    for layer in range(_LAYERS):
        name = "tokens" if layer == _LAYERS - 1 else f"hidden{layer}"
        hidden = net.layer(f"encoder.layer.{layer}.", hidden, name)
    net.pool(hidden)
    return net.graph.encoded()


def in_rows(matrix: NDArray[Any], top: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers up to ±top, and the scale of each row."""
    scale = (np.abs(matrix).max(axis=1, keepdims=True) / top).astype(np.float32)
    scale[scale < np.finfo(np.float32).tiny] = 1  # nothing, or next to it
    return np.rint(matrix / scale).astype(np.int8), scale


class _Net:
    def __init__(self, weights: Weights, int8: bool) -> None:
        self.graph = Graph("all-MiniLM-L6-v2")
        self._weights = weights
        self._int8 = int8
        self._in_bytes: dict[str, tuple[str, str]] = {}
        for name, value in {"first": [0], "last": [-1], "thirds": [DIMENSION] * 3}.items():
            self.graph.constant(name, np.array(value, np.int64))
        self.graph.constant("middle", np.array(128, np.uint8))
        self.graph.constant("step", np.array(1 / 127, np.float32))

    def embeddings(self) -> str:
        graph = self.graph
        ids = graph.input("ids", "int64", ("length",))
        graph.node("Shape", [ids], "length")
        graph.node("Expand", ["middle", "length"], "middles")
        places = self._weights["embeddings.position_embeddings.weight"][:LONGEST]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]  # there is one segment
        graph.constant("places", places + kind)
        graph.node("Slice", ["places", "first", "length", "first"], "place")
        graph.node("Add", [self._words(ids), "place"], "sum")
        norm = [self._weight(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
        return graph.node("LayerNormalization", ["sum", *norm], "hidden", attributes=_STABLE)

    def layer(self, prefix: str, hidden: str, name: str) -> str:
        attended = self._attention(f"{prefix}attention.self.", hidden)
        seen = self._joined(f"{prefix}attention.output.", attended, hidden, f"{prefix}seen")
        dense = f"{prefix}intermediate.dense."
        wide = self._linear(dense, seen, self._weights[f"{dense}weight"])
        gelu = self.graph.node(
            "BiasGelu", [wide, self._weight(f"{dense}bias")], f"{prefix}gelu", domain=MICROSOFT
        )
        return self._joined(f"{prefix}output.", gelu, seen, name)

    def pool(self, tokens: str) -> None:
        """Every token counts the same; the sum has the mean's direction, which is all we keep."""
        self.graph.node("ReduceSum", [tokens, "first"], "total", attributes={"keepdims": 0})
        unit = {"axis": 0, "p": 2}
        self.graph.node("LpNormalization", ["total"], "pooled", attributes=unit)
        self.graph.output("pooled", "float32", (DIMENSION,))
        self.graph.output("tokens", "float32", ("length", DIMENSION))

    def _words(self, ids: str) -> str:
        graph = self.graph
        table = self._weights["embeddings.word_embeddings.weight"]
        if not self._int8:
            return graph.node("Gather", [graph.constant("table", table), ids], "word")
        rows, scales = in_rows(table, 127)
        row = graph.node("Gather", [graph.constant("table", rows), ids], "row")
        scale = graph.node("Gather", [graph.constant("scales", scales), ids], "scale")
        return graph.node("Mul", [self._cast(row), scale], "word")

    def _attention(self, prefix: str, hidden: str) -> str:
        graph = self.graph
        parts = ("query", "key", "value")
        matrix, bias = (
            np.concatenate([self._weights[f"{prefix}{part}.{kind}"] for part in parts])
            for kind in ("weight", "bias")
        )
        product = self._linear(prefix, hidden, matrix)
        batch = graph.node("Unsqueeze", [product, "first"], f"{prefix}batch")  # of one text
        split = [f"{prefix}{part}" for part in parts]
        graph.node("Split", [batch, "thirds"], split, attributes={"axis": 2})
        heads = graph.node(
            "MultiHeadAttention",
            [*split, graph.constant(f"{prefix}bias", bias)],
            f"{prefix}heads",
            domain=MICROSOFT,
            attributes={"num_heads": _HEADS},
        )
        return graph.node("Squeeze", [heads, "first"], f"{prefix}attended")

    def _joined(self, prefix: str, inner: str, residual: str, name: str) -> str:
        """A linear map, its residual and the normalisation after them."""
        mapped = self._linear(f"{prefix}dense.", inner, self._weights[f"{prefix}dense.weight"])
        parts = ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")
        inputs = [mapped, residual, *(self._weight(prefix + part) for part in parts)]
        return self.graph.node(
            "SkipLayerNormalization", inputs, name, domain=MICROSOFT, attributes=_STABLE
        )

    def _linear(self, prefix: str, inner: str, matrix: NDArray[Any]) -> str:
        graph, product = self.graph, f"{prefix}product"
        if not self._int8:
            weight = graph.constant(f"{prefix}matrix", matrix.T)
            return graph.node("MatMul", [inner, weight], product)
        rows, scales = in_rows(matrix, 63)
        weight = graph.constant(f"{prefix}matrix", rows.T)
        scale = graph.constant(f"{prefix}scale", scales[:, 0])
        numbers, steps = self._activations(inner)
        whole = graph.node("MatMulInteger", [numbers, weight, "middle"], f"{prefix}whole")
        scaled = graph.node("Mul", [self._cast(whole), scale], f"{prefix}scaled")
        return graph.node("Mul", [scaled, steps], product)

    def _activations(self, name: str) -> tuple[str, str]:
        """Each token's activations as bytes around 128, and their step sizes as a column."""
        graph = self.graph
        if name not in self._in_bytes:
            size = graph.node("Abs", [name], f"{name}.size")
            largest = graph.node("ReduceMax", [size, "last"], f"{name}.largest")
            steps = graph.node("Mul", [largest, "step"], f"{name}.steps")
            flat = graph.node("Squeeze", [steps, "last"], f"{name}.flat")
            numbers = graph.node(
                "QuantizeLinear", [name, flat, "middles"], f"{name}.bytes", attributes={"axis": 0}
            )
            self._in_bytes[name] = numbers, steps
        return self._in_bytes[name]

    def _weight(self, name: str) -> str:
        return self.graph.constant(name, self._weights[name])

    def _cast(self, name: str) -> str:
        return self.graph.node("Cast", [name], f"{name}.float", attributes={"to": _FLOAT})

"""Build a small BERT encoder as an ONNX graph from its weights.

The input is one text: the ids of its pieces (`ids`) or, if the weights have no table of words, the
vectors of its pieces (`words`). One pass gives two outputs: `pooled`, the text's unit vector, and
`tokens`, the last hidden layer. There are no batches and no masks: on a CPU a batch is no faster
than one text after the other, and without batches a vector cannot depend on other texts.

With 8-bit integers, each row of weights has its own scale. The activations of each token have a
scale too, which is computed at run time. Weights use only ±63 of the range of an int8: CPUs without
VNNI add two products in 16 bits, and this way the sum always fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.embed.convert.onnx_file import MICROSOFT, OnnxGraph
from remem.embed.token_vectors import DIMENSION, MAX_TOKENS

Weights = Mapping[str, NDArray[Any]]

_HEADS: Final = 12
_WORD_TABLE: Final = "embeddings.word_embeddings.weight"
_FLOAT: Final = 1  # ONNX's number for float32
_EPSILON: Final = {"epsilon": 1e-12}


def build(weights: Weights, *, int8: bool = True) -> bytes:
    """Return the .onnx file; `int8=False` keeps float32, for comparison."""
    builder = _GraphBuilder(weights, int8)
    hidden = builder.embeddings()
    layers = sum(name.endswith("attention.self.query.weight") for name in weights)
    for layer in range(layers):
        name = "tokens" if layer == layers - 1 else f"hidden{layer}"
        hidden = builder.layer(f"encoder.layer.{layer}.", hidden, name)
    builder.pool(hidden)
    return builder.graph.encode()


def quantize_rows(
    matrix: NDArray[Any], max_value: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantize a matrix to integers up to ±max_value; return them and the scale of each row."""
    scale = (np.abs(matrix).max(axis=1, keepdims=True) / max_value).astype(np.float32)
    scale[scale < np.finfo(np.float32).tiny] = 1  # zero, or nearly
    return np.rint(matrix / scale).astype(np.int8), scale


class _GraphBuilder:
    """Adds the parts of an encoder to a graph; its methods return the names of their outputs."""

    def __init__(self, weights: Weights, int8: bool) -> None:
        # The name is part of the file, whose hash identifies the vectors that were made with it.
        self.graph = OnnxGraph("all-MiniLM-L6-v2" if _WORD_TABLE in weights else "encoder")
        self._weights = weights
        self._int8 = int8
        self._quantized: dict[str, tuple[str, str]] = {}
        for name, value in {"first": [0], "last": [-1], "thirds": [DIMENSION] * 3}.items():
            self.graph.constant(name, np.array(value, np.int64))
        self.graph.constant("middle", np.array(128, np.uint8))
        self.graph.constant("step", np.array(1 / 127, np.float32))

    def embeddings(self) -> str:
        graph = self.graph
        has_table = _WORD_TABLE in self._weights
        if has_table:
            inputs = graph.input("ids", "int64", ("length",))
            graph.node("Shape", [inputs], "length")
        else:
            inputs = graph.input("words", "float32", ("length", DIMENSION))
            graph.node("Shape", [inputs], "length", attributes={"end": 1})
        graph.node("Expand", ["middle", "length"], "middles")
        positions = self._weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]  # the only one
        graph.constant("places", positions + segment)
        graph.node("Slice", ["places", "first", "length", "first"], "place")
        words = self._words(inputs) if has_table else inputs
        graph.node("Add", [words, "place"], "sum")
        norm = [self._weight(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
        return graph.node("LayerNormalization", ["sum", *norm], "hidden", attributes=_EPSILON)

    def layer(self, prefix: str, hidden: str, name: str) -> str:
        attention = self._attention(f"{prefix}attention.self.", hidden)
        attention_output = self._with_residual(
            f"{prefix}attention.output.", attention, hidden, f"{prefix}seen"
        )
        dense = f"{prefix}intermediate.dense."
        expanded = self._linear(dense, attention_output, self._weights[f"{dense}weight"])
        gelu = self.graph.node(
            "BiasGelu", [expanded, self._weight(f"{dense}bias")], f"{prefix}gelu", domain=MICROSOFT
        )
        return self._with_residual(f"{prefix}output.", gelu, attention_output, name)

    def pool(self, tokens: str) -> None:
        """Sum the tokens and normalise the sum, which has the same direction as the mean."""
        self.graph.node("ReduceSum", [tokens, "first"], "total", attributes={"keepdims": 0})
        unit = {"axis": 0, "p": 2}
        self.graph.node("LpNormalization", ["total"], "pooled", attributes=unit)
        self.graph.output("pooled", "float32", (DIMENSION,))
        self.graph.output("tokens", "float32", ("length", DIMENSION))

    def _words(self, ids: str) -> str:
        graph = self.graph
        table = self._weights[_WORD_TABLE]
        if not self._int8:
            return graph.node("Gather", [graph.constant("table", table), ids], "word")
        rows, scales = quantize_rows(table, 127)
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

    def _with_residual(self, prefix: str, inner: str, residual: str, name: str) -> str:
        """Add a linear map, then the residual connection and the normalisation."""
        mapped = self._linear(f"{prefix}dense.", inner, self._weights[f"{prefix}dense.weight"])
        parts = ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")
        inputs = [mapped, residual, *(self._weight(prefix + part) for part in parts)]
        return self.graph.node(
            "SkipLayerNormalization", inputs, name, domain=MICROSOFT, attributes=_EPSILON
        )

    def _linear(self, prefix: str, inner: str, matrix: NDArray[Any]) -> str:
        graph, product = self.graph, f"{prefix}product"
        if not self._int8:
            weight = graph.constant(f"{prefix}matrix", matrix.T)
            return graph.node("MatMul", [inner, weight], product)
        rows, scales = quantize_rows(matrix, 63)
        weight = graph.constant(f"{prefix}matrix", rows.T)
        scale = graph.constant(f"{prefix}scale", scales[:, 0])
        quantized, steps = self._activations(inner)
        integers = graph.node("MatMulInteger", [quantized, weight, "middle"], f"{prefix}whole")
        scaled = graph.node("Mul", [self._cast(integers), scale], f"{prefix}scaled")
        return graph.node("Mul", [scaled, steps], product)

    def _activations(self, name: str) -> tuple[str, str]:
        """Quantize each token's activations to bytes around 128, with step sizes as a column."""
        graph = self.graph
        if name not in self._quantized:
            magnitude = graph.node("Abs", [name], f"{name}.size")
            largest = graph.node("ReduceMax", [magnitude, "last"], f"{name}.largest")
            steps = graph.node("Mul", [largest, "step"], f"{name}.steps")
            flat = graph.node("Squeeze", [steps, "last"], f"{name}.flat")
            quantized = graph.node(
                "QuantizeLinear", [name, flat, "middles"], f"{name}.bytes", attributes={"axis": 0}
            )
            self._quantized[name] = quantized, steps
        return self._quantized[name]

    def _weight(self, name: str) -> str:
        return self.graph.constant(name, self._weights[name])

    def _cast(self, name: str) -> str:
        return self.graph.node("Cast", [name], f"{name}.float", attributes={"to": _FLOAT})

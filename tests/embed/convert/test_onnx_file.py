import numpy as np
import pytest

from remem.embed.convert.onnx_file import OnnxGraph
from remem.embed.runtime import load_runtime
from tests.tables import each_row


def run(graph: OnnxGraph, **inputs: np.ndarray) -> list[np.ndarray]:
    runtime = load_runtime()  # with telemetry off: tests leave nothing in a developer's home
    session = runtime.InferenceSession(graph.encode(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def test_onnxruntime_runs_a_written_graph() -> None:
    graph = OnnxGraph("sum")
    left = graph.input("left", "float32", ("rows", 3))
    right = graph.constant("right", np.array([[1, 2, 3]], np.float32))
    graph.node("Add", [left, right], "total")
    graph.output("total", "float32", ("rows", 3))

    (total,) = run(graph, left=np.ones((2, 3), np.float32))

    assert total.tolist() == [[2, 3, 4], [2, 3, 4]]


def test_negative_and_fractional_attributes_are_written() -> None:
    """A negative number is ten bytes on the wire; a wrong epsilon would show in the norm."""
    graph = OnnxGraph("norm")
    graph.input("rows", "float32", (1, 4))
    graph.constant("ones", np.ones(4, np.float32))
    graph.node(
        "LayerNormalization", ["rows", "ones"], "out", attributes={"axis": -1, "epsilon": 5.0}
    )
    graph.output("out", "float32", (1, 4))
    row = np.array([[1, 2, 3, 6]], np.float32)

    (out,) = run(graph, rows=row)

    assert out == pytest.approx((row - 3) / np.sqrt(row.var() + 5), abs=1e-6)


@each_row("element", ["float32", "uint8", "int8", "int32", "int64"])
def test_constants_of_every_type_are_unchanged(element: str) -> None:
    values = np.arange(300).astype(element).reshape(3, 100)
    graph = OnnxGraph("same")
    graph.node("Identity", [graph.constant("values", values)], "same")
    graph.output("same", element, (3, 100))

    (same,) = run(graph)

    assert same.dtype == values.dtype
    assert np.array_equal(same, values)


def test_a_transposed_array_keeps_its_values() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3).T
    graph = OnnxGraph("same")
    graph.node("Identity", [graph.constant("values", matrix)], "same")
    graph.output("same", "float32", (3, 2))

    assert np.array_equal(run(graph)[0], matrix)


def test_one_node_may_have_several_outputs() -> None:
    graph = OnnxGraph("split")
    graph.constant("sizes", np.array([1, 2], np.int64))
    graph.input("row", "float32", (3,))
    graph.node("Split", ["row", "sizes"], ["head", "tail"], attributes={"axis": 0})
    graph.output("head", "float32", (1,))
    graph.output("tail", "float32", (2,))

    head, tail = run(graph, row=np.array([7, 8, 9], np.float32))

    assert (head.tolist(), tail.tolist()) == ([7], [8, 9])

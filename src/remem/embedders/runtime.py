"""How does onnxruntime run the model? One session, one thread, its errors made ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.errors import EmbedderError, shown
from remem.ports import Floats


def session(model: bytes | Path, *, operators: str | None = None) -> Session:
    """Load a model from its file, or one that is in no file; onnxruntime is imported here and
    nowhere else, since that takes a while.

    `operators` is a library with operators that onnxruntime does not have itself.
    """
    try:
        import onnxruntime as ort
        from onnxruntime.capi import onnxruntime_pybind11_state as state
    except ImportError as error:
        raise EmbedderError(
            f"onnxruntime cannot be imported: {error}", hint="run `pip install onnxruntime`"
        ) from error
    # onnxruntime's exceptions have no common root of their own.
    failures = (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
    )
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        if operators:
            options.register_custom_ops_library(operators)
        source = str(model) if isinstance(model, Path) else model
        loaded = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise EmbedderError(f"the model cannot be loaded: {shown(str(error), 200)}") from error
    return Session(loaded, failures)


class Session:
    """Runs one text at a time; several threads may run at once."""

    def __init__(self, loaded: Any, failures: tuple[type[Exception], ...]) -> None:
        self._loaded = loaded
        self._failures = failures

    def run(self, ids: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The pooled vector, and one row per token."""
        pooled, tokens = self._answers(["pooled", "tokens"], {"ids": ids})
        return pooled, tokens

    def run_text(self, text: str) -> Floats:
        """The vector of a text, from a model that cuts it into pieces itself."""
        (vectors,) = self._answers(["outputs"], {"inputs": np.array([text])})
        vector: Floats = vectors[0]
        return vector

    def _answers(self, wanted: list[str], given: dict[str, Any]) -> Any:
        try:
            return self._loaded.run(wanted, given)
        except self._failures as error:
            raise EmbedderError(f"the model failed: {shown(str(error), 200)}") from error

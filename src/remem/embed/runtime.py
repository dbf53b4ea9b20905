"""How does onnxruntime run the model? One session, one thread, its errors made ours."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.errors import EmbedderError, shown
from remem.ports.models import Floats

NO_TELEMETRY: Final = ("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime reads this while it is imported, and writes a device id where it is not set."""


def load_runtime() -> ModuleType:
    """The onnxruntime module, with its telemetry off.

    This is the only place that imports it: importing it without the variable already creates
    files below the user's cache folder, and calling its switch afterwards comes too late.
    """
    os.putenv(*NO_TELEMETRY)
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderError(
            f"onnxruntime cannot be imported: {error}", hint="run `pip install onnxruntime`"
        ) from error
    # Covers a program that had imported onnxruntime before it imported remem.
    if disable := getattr(onnxruntime, "disable_telemetry_events", None):
        disable()
    loaded: ModuleType = onnxruntime
    return loaded


def session(model: bytes | Path, *, operators: str | None = None) -> Session:
    """Load a model from a file, or from its bytes. Importing onnxruntime takes a while, so it
    happens here rather than at the top.

    `operators` is a library with operators that onnxruntime does not have itself.
    """
    ort = load_runtime()
    state = ort.capi.onnxruntime_pybind11_state
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

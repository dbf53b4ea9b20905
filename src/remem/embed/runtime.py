"""Run a model with onnxruntime; its errors are raised as EmbedderError."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.errors import EmbedderError, quoted
from remem.ports.models import Floats

NO_TELEMETRY: Final = ("ORT_DISABLE_TELEMETRY", "1")
"""The environment variable, read on import, without which onnxruntime writes a device id."""


def load_runtime() -> ModuleType:
    """Import onnxruntime with its telemetry off.

    Nothing else may import onnxruntime: an import without the variable creates files in the user's
    cache folder, and it is too late to turn telemetry off afterwards.
    """
    os.putenv(*NO_TELEMETRY)
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderError(
            f"onnxruntime cannot be imported: {error}", hint="run `pip install onnxruntime`"
        ) from error
    # The host program may have imported onnxruntime before remem did.
    if disable := getattr(onnxruntime, "disable_telemetry_events", None):
        disable()
    module: ModuleType = onnxruntime
    return module


def load_session(model: bytes | Path) -> OnnxSession:
    """Load a model from a file or from bytes; each text is run in a single thread."""
    ort = load_runtime()
    state = ort.capi.onnxruntime_pybind11_state
    # onnxruntime's exceptions have no common base class.
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
        source = str(model) if isinstance(model, Path) else model
        loaded = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise EmbedderError(f"the model cannot be loaded: {quoted(str(error), 200)}") from error
    return OnnxSession(loaded, failures)


class OnnxSession:
    """A loaded model, which runs one text at a time; several threads may use it at once."""

    def __init__(self, loaded: Any, failures: tuple[type[Exception], ...]) -> None:
        self._loaded = loaded
        self._failures = failures
        self._input: str = loaded.get_inputs()[0].name

    def run(self, text: NDArray[np.int64] | Floats) -> tuple[Floats, Floats]:
        """Return the pooled vector of a text, and one row per token.

        The text is given by the ids of its pieces or by their vectors, whichever the graph takes.
        """
        pooled, tokens = self._run(["pooled", "tokens"], {self._input: text})
        return pooled, tokens

    def run_standard(self, ids: NDArray[np.int64]) -> Floats:
        """Return the first output of a BERT encoder with the usual inputs, for a batch of texts."""
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        names = [known.name for known in self._loaded.get_inputs()]
        if unknown := [name for name in names if name not in inputs]:
            raise EmbedderError(f"the model has inputs that remem does not know: {unknown}")
        output: Floats = self._run(None, {name: inputs[name] for name in names})[0]
        return output

    def _run(self, outputs: list[str] | None, inputs: dict[str, Any]) -> Any:
        try:
            return self._loaded.run(outputs, inputs)
        except self._failures as error:
            raise EmbedderError(f"the model failed: {quoted(str(error), 200)}") from error

"""What weights does a safetensors file hold?"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.errors import EmbedderError, shown

_DTYPES: Final = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def tensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Every tensor by name, as views into `data`: eight bytes of length, JSON, then the numbers."""
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])
        body = memoryview(data)[8 + length :]
        return {
            name: _tensor(body, entry) for name, entry in header.items() if name != "__metadata__"
        }
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderError(f"not a safetensors file: {shown(str(error))}") from error


def _tensor(body: memoryview, entry: dict[str, Any]) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    return np.frombuffer(body[start:end], _DTYPES[entry["dtype"]]).reshape(entry["shape"])

"""Write ONNX files and read safetensors files, without the onnx and safetensors packages.

ONNX is written in protocol-buffer wire format, limited to what our graph needs; the field numbers
come from the public onnx.proto schema.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from remem.errors import EmbedderError, quoted

Array = NDArray[Any]
Attribute = int | float
Shape = Sequence[int | str]

MICROSOFT: Final = "com.microsoft"  # the domain of onnxruntime's fused operators
_ELEMENT: Final = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_IR_VERSION: Final = 9
_OPSETS: Final = {"": 18, MICROSOFT: 1}
_DTYPES: Final = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are their 64-bit two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _chunk(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _chunk(1, name) + _float(2, value) + _number(20, 1)
    return _chunk(1, name) + _number(3, value) + _number(20, 2)


def _value(name: str, element: str, shape: Shape) -> bytes:
    dims = b"".join(_chunk(1, _chunk(2, d) if isinstance(d, str) else _number(1, d)) for d in shape)
    tensor = _number(1, _ELEMENT[element]) + _chunk(2, dims)
    return _chunk(1, name) + _chunk(2, _chunk(1, tensor))


class OnnxGraph:
    """Collects the nodes of a model in the order in which they run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []

    def input(self, name: str, element: str, shape: Shape) -> str:
        self._inputs.append(_chunk(11, _value(name, element, shape)))
        return name

    def output(self, name: str, element: str, shape: Shape) -> None:
        self._outputs.append(_chunk(12, _value(name, element, shape)))

    def constant(self, name: str, array: Array) -> str:
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        dims = b"".join(_number(1, d) for d in array.shape)
        kind = _number(2, _ELEMENT[array.dtype.name])
        tensor = dims + kind + _chunk(8, name) + _chunk(9, little.tobytes())
        self._constants.append(_chunk(5, tensor))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: str | Sequence[str],
        *,
        domain: str = "",
        attributes: Mapping[str, Attribute] | None = None,
    ) -> str:
        """Add a node and return its (first) output; an empty name skips an optional input."""
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        parts = [_chunk(1, i) for i in inputs] + [_chunk(2, o) for o in names]
        parts += [_chunk(3, f"{names[0]}:{operator}"), _chunk(4, operator)]
        parts += [_chunk(5, _attribute(k, v)) for k, v in (attributes or {}).items()]
        parts.append(_chunk(7, domain))
        self._nodes.append(_chunk(1, b"".join(parts)))
        return names[0]

    def encode(self) -> bytes:
        """Return the model as the bytes of an .onnx file."""
        graph = b"".join(
            [*self._nodes, _chunk(2, self._name), *self._constants, *self._inputs, *self._outputs]
        )
        opsets = b"".join(
            _chunk(8, _chunk(1, domain) + _number(2, version))
            for domain, version in _OPSETS.items()
        )
        return _number(1, _IR_VERSION) + _chunk(2, "remem") + _chunk(7, graph) + opsets


def read_tensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the tensors of a safetensors file by name, as views into `data`.

    The file consists of the length of the header (eight bytes), a JSON header, and the numbers.
    """
    try:
        (length,) = struct.unpack_from("<Q", data)
        header = json.loads(data[8 : 8 + length])
        body = memoryview(data)[8 + length :]
        return {
            name: _tensor(body, entry) for name, entry in header.items() if name != "__metadata__"
        }
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EmbedderError(f"not a safetensors file: {quoted(str(error))}") from error


def _tensor(body: memoryview, entry: dict[str, Any]) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    return np.frombuffer(body[start:end], _DTYPES[entry["dtype"]]).reshape(entry["shape"])

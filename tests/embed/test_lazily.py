from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from remem.embed.deterministic import Deterministic
from remem.embed.lazy import LazyEmbedder


def test_the_model_is_made_on_first_use_and_once() -> None:
    made: list[Deterministic] = []

    def make() -> Deterministic:
        made.append(Deterministic())
        return made[-1]

    lazy = LazyEmbedder(make)
    assert made == []

    assert lazy.identity == Deterministic().identity
    assert len(lazy.embed(["tea"])) == 1
    assert lazy.language_support("tea")
    assert lazy.embed_query("tea").pooled.shape == (lazy.identity.dimension,)
    lazy.close()
    assert len(made) == 1


def test_one_that_was_never_used_is_closed_without_being_made() -> None:
    def never() -> Deterministic:
        raise AssertionError("nobody asked for a vector")

    LazyEmbedder(never).close()


def test_a_command_that_needs_no_vector_loads_no_arithmetic(tmp_path: Path) -> None:
    program = (
        "import sys; from remem.app.opening import open_workspace\n"
        "with open_workspace(sys.argv[1], background=False) as ws: ws.refresh()\n"
        "print(sorted({'numpy', 'onnxruntime'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"

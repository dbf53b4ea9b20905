"""A part of a model is loaded once, and closed when nobody uses it."""

from __future__ import annotations

import threading

import pytest

from remem.embed.model_files import MINILM, LazyPart
from remem.errors import EmbedderError, ModelMissing


def test_closing_waits_for_a_thread_that_uses_the_part() -> None:
    part = LazyPart(MINILM, lambda: "loaded")
    entered, leave, steps = threading.Event(), threading.Event(), []

    def use() -> None:
        with part.use():
            entered.set()
            leave.wait()
            steps.append("used")

    def close() -> None:
        part.close()
        steps.append("closed")

    threads = [threading.Thread(target=use), threading.Thread(target=close)]
    threads[0].start()
    entered.wait()
    threads[1].start()
    leave.set()
    for thread in threads:
        thread.join()

    assert steps == ["used", "closed"]


def test_a_closed_part_cannot_be_used() -> None:
    part = LazyPart(MINILM, lambda: "loaded")
    part.close()

    with pytest.raises(EmbedderError, match="was closed"), part.use():
        pass


def test_a_part_that_is_removed_while_it_is_loaded_is_missing() -> None:
    def load() -> str:
        raise FileNotFoundError("words.npy")

    part = LazyPart(MINILM, load)

    with pytest.raises(ModelMissing, match=r"cannot be read: words\.npy"):
        part()

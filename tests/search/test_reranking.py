"""A reranker reorders the first results of search and recall; if it fails, the answer says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from tests.embed.loopback import Handler, Respond, serving

LINES = ("The boat is red.", "The boat has two masts.", "The boat was built in Emden.")
QUESTION = "boat"


def preferring(text: str) -> Respond:
    def respond(handler: Handler, question: dict[str, Any]) -> None:
        scores = [{"index": i, "score": float(text in t)} for i, t in enumerate(question["texts"])]
        handler.answer(json.dumps(scores).encode())

    return respond


@contextmanager
def workspace(folder: Path, url: str = "", timeout: float = 60) -> Iterator[Workspace]:
    (folder / "MEMORY.md").write_text("".join(f"- {line}\n" for line in LINES), encoding="utf-8")
    settings = folder / ".remem" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    address = url.removesuffix("/v1")
    reranker = f'rerank_url = "{address}"\nrerank_timeout = {timeout}\n' if url else ""
    settings.write_text(f'embedder = "none"\n{reranker}', encoding="utf-8")
    with open_workspace(folder, background=False) as memory:
        yield memory


def test_the_reranker_decides_between_equal_results(tmp_path: Path) -> None:
    for number, line in enumerate(LINES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with serving(preferring(line)) as server, workspace(folder, server.url) as memory:
            found = memory.search(QUESTION)
            recalled = memory.recall(QUESTION, why=True).entries

        assert line in found.results[0].snippet
        assert found.warning is None
        assert line in recalled[0].content
        assert recalled[0].why is not None
        assert recalled[0].why["rerank"] > 0


def test_without_a_reranker_nothing_is_sent_or_said(tmp_path: Path) -> None:
    with workspace(tmp_path) as memory:
        assert memory.search(QUESTION).warning is None
        assert not any("rerank" in note for note in memory.recall(QUESTION).notes)


def test_a_failing_reranker_leaves_the_order_and_is_reported(tmp_path: Path) -> None:
    with workspace(tmp_path) as memory:
        expected = [hit.start_line for hit in memory.search(QUESTION).results]

    def broken(handler: Handler, _: dict[str, Any]) -> None:
        handler.answer(b'[{"index": 0, "score": 1}]')

    def silent(handler: Handler, _: dict[str, Any]) -> None:
        handler.loopback.finish.wait()

    cases = (broken, 60, "is not 3 scores"), (silent, 0.2, "did not answer within")
    for respond, timeout, reason in cases:
        with serving(respond) as server, workspace(tmp_path, server.url, timeout) as memory:
            found = memory.search(QUESTION)
            notes = " ".join(memory.recall(QUESTION).notes)

        assert [hit.start_line for hit in found.results] == expected
        assert found.warning is not None
        assert reason in found.warning
        assert "not reranked: " in notes
        assert reason in notes


def test_only_the_memory_of_the_session_is_sent(tmp_path: Path) -> None:
    with serving(preferring("x")) as server, workspace(tmp_path, server.url) as memory:
        memory.search(QUESTION)

    sent = [text for request in server.asked for text in request["texts"]]
    assert sorted(sent) == sorted(f"- {line}" for line in LINES)

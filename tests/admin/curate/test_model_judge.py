"""A language model as the judge: it proposes; what it invents is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import ConfigError, ModelError
from tests.embed.loopback import serving
from tests.extract.model_answers import saying, silent


def opened(root: Path, url: str | None, *, timeout: float = 300.0) -> Workspace:
    (root / ".remem").mkdir(parents=True, exist_ok=True)
    settings = f'llm_url = "{url}"\nllm_model = "small"\nllm_timeout = {timeout}\n' if url else ""
    (root / ".remem/config.toml").write_text(f'embedder = "none"\n{settings}')
    return open_workspace(root, background=False)


@pytest.fixture
def entry(root: Path) -> str:
    with opened(root, None) as memory:
        memory.store(category="preference", content="Likes green tea in the morning")
        (name,) = memory.curate().page_lines
    return name


def test_its_verdicts_on_the_owners_lines_are_proposals(root: Path, entry: str) -> None:
    answer = json.dumps([{"answer": "pin", "items": [entry]}])
    with serving(saying(f"Here you are:\n```json\n{answer}\n```")) as server:
        with opened(root, server.url) as memory:
            done = memory.curation.ask_model()
            assert (done.applied, done.proposed) == ((), (1,))
            assert memory.curation.accept().applied == (1,)
            assert memory.curation.verdicts().verdicts[0].author == "model"
        assert "green tea" in str(server.asked[0]["messages"])


def test_the_model_can_tell_the_page_from_the_lines_that_it_leaves_out(
    root: Path, entry: str
) -> None:
    (root / "MEMORY.md").write_text("# Notes\n\n- The beehives stand in Oslo\n", encoding="utf-8")
    with serving(saying('[{"answer": "keep", "items": ["*"]}]')) as server:
        with opened(root, server.url) as memory:
            memory.curation.ask_model()
        sent = server.asked[0]["messages"][1]["content"]
    parts = [json.loads(line) for line in sent.splitlines()]

    assert parts[0]["tokens"] < parts[0]["limit"]
    texts = {key: str([part for part in parts if key in part]) for key in ("page", "left_out")}
    assert ("green tea" in texts["page"], "green tea" in texts["left_out"]) == (True, False)
    assert ("beehives" in texts["page"], "beehives" in texts["left_out"]) == (False, True)


def test_a_verdict_may_name_a_whole_heading(root: Path, entry: str) -> None:
    (root / "MEMORY.md").write_text("# Notes\n\n- The beehives stand in Oslo\n", encoding="utf-8")
    with opened(root, None) as memory:
        (heading,) = {group.where for group in memory.curate().left_out}
    answer = json.dumps([{"answer": "pin", "items": [heading]}])

    with serving(saying(answer)) as server, opened(root, server.url) as memory:
        done = memory.curation.ask_model()

    assert (done.refused, done.proposed) == ((), (1,))


@pytest.mark.parametrize("text", ["Here are [my] verdicts: {}", "{} [done]", "[] or [1]: {}"])
def test_brackets_around_the_verdicts_do_not_matter(root: Path, entry: str, text: str) -> None:
    answer = text.format(json.dumps([{"answer": "pin", "items": [entry]}]))
    with serving(saying(answer)) as server, opened(root, server.url) as memory:
        assert memory.curation.ask_model().proposed == (1,)


def test_what_a_lying_model_invents_is_refused(root: Path, entry: str) -> None:
    lies = [
        {"answer": "drop", "items": ["mem-00000000", "everything"]},
        {"answer": "reword", "items": [entry], "text": "Likes whisky in the morning"},
        {"answer": "erase", "items": [entry]},
    ]
    with serving(saying(json.dumps(lies))) as server, opened(root, server.url) as memory:
        done = memory.curation.ask_model()

        assert (done.applied, done.proposed) == ((), ())
        assert [refusal.reason[:28] for refusal in done.refused] == [
            "the model was not asked abou",
            "the model was not asked abou",
            "answer 'erase' is unknown",
            "the text is not supported by",
        ]
        assert memory.curation.verdicts().verdicts == ()


@pytest.mark.parametrize("text", ["I would keep all of it.", "[1, 2]", '{"answer": "keep"}'])
def test_an_answer_that_is_no_list_of_verdicts_is_an_error(
    root: Path, entry: str, text: str
) -> None:
    with (
        serving(saying(text)) as server,
        opened(root, server.url) as memory,
        pytest.raises(ModelError, match="not a JSON array"),
    ):
        memory.curation.ask_model()


def test_a_slow_model_is_given_up_and_nothing_changes(root: Path, entry: str) -> None:
    with serving(silent) as server, opened(root, server.url, timeout=0.5) as memory:
        with pytest.raises(ModelError, match=r"did not answer within 0\.5 s"):
            memory.curation.ask_model()
        assert memory.curation.verdicts().verdicts == ()


def test_without_a_configured_model_the_error_says_what_to_set(root: Path, entry: str) -> None:
    with opened(root, None) as memory, pytest.raises(ConfigError, match="no language model"):
        memory.curation.ask_model()

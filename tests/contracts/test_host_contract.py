"""The contract of hosts for `memory_search` and `memory_get`, rule by rule, each quoted.

What is checked is the JSON that a host receives.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from remem.app.tools.declare import call, input_schema
from remem.app.tools.files import GET, SEARCH
from remem.app.tools.table import tools_of
from remem.app.workspace import Workspace
from remem.errors import EmbedderError, InvalidInput
from remem.mcp.schemas import output_schema
from remem.model.arguments import utf16_length
from remem.ports.models import QueryEmbedding
from remem.search.answer.answer import answer_text
from tests.conftest import Opener
from tests.deterministic import Deterministic
from tests.tables import each_row

ROOM = "agent:main:telegram:group:-100"
MEMORY = """\
# Memory

## Wedding
- Wedding venue: Black Canyon Inn.
  The garden is booked. <!-- trigger: venue, inn --> <!-- importance: 7 --> <!-- project: w -->
- Caterer: Rosso
"""


@pytest.fixture
def files(root: Path) -> Path:
    (root / "memory/groups/alpha").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    (root / "memory/group_names.json").write_text('{"-100": "alpha"}', encoding="utf-8")
    return root


@pytest.fixture
def workspace(files: Path, opened: Opener) -> Workspace:
    return opened()


def told(workspace: Workspace, tool: Any, **given: Any) -> dict[str, Any]:
    """The answer as JSON, which must be what the tool promises."""
    text = answer_text(call(tool, workspace, given))
    value: dict[str, Any] = json.loads(text)
    Draft202012Validator(output_schema(tool.result)).validate(value)
    assert "null" not in text
    return value


def search(workspace: Workspace, query: str, **given: Any) -> dict[str, Any]:
    return told(workspace, SEARCH, query=query, **given)


def get(workspace: Workspace, path: str, **given: Any) -> dict[str, Any]:
    return told(workspace, GET, path=path, **given)


# “Parameters (`additionalProperties: false` on both)”


def test_the_parameters_are_those_of_the_contract() -> None:
    wanted = {
        "memory_search": {"query", "maxResults", "minScore", "corpus"},
        "memory_get": {"path", "from", "lines", "corpus"},
    }

    for tool in (SEARCH, GET):
        schema = input_schema(tool)
        assert set(schema["properties"]) == wanted[tool.name]
        assert schema["additionalProperties"] is False
    assert input_schema(SEARCH)["required"] == ["query"]
    assert input_schema(GET)["required"] == ["path"]


def test_the_defaults_are_those_of_the_contract() -> None:
    defaults = {
        name: argument["default"]
        for tool in (SEARCH, GET)
        for name, argument in input_schema(tool)["properties"].items()
        if "default" in argument
    }

    assert defaults == {"maxResults": 6, "minScore": 0.35, "from": 1, "lines": 120}


def test_the_legacy_profile_is_these_two_alone() -> None:
    assert tools_of("legacy") == (SEARCH, GET)


@each_row(
    ("tool", "bad", "words"),
    [
        (SEARCH, {}, "query required"),
        (SEARCH, {"query": ""}, "query required"),
        (SEARCH, {"query": " \n"}, "query required"),
        (SEARCH, {"query": None}, "query required"),
        (SEARCH, {"query": 5}, "query required"),
        *(
            (SEARCH, {"query": "x", "maxResults": bad}, "maxResults must be a positive integer")
            for bad in (0, -1, 1.5, "6", True)
        ),
        *(
            (SEARCH, {"query": "x", "minScore": bad}, "minScore must be a finite number")
            for bad in (float("nan"), float("inf"), "0.5", True)
        ),
        *(
            (
                SEARCH,
                {"query": "x", "corpus": bad},
                "corpus must be one of: memory, wiki, all, sessions",
            )
            for bad in ("web", "", "Memory", 1)
        ),
        (GET, {}, "path required"),
        (GET, {"path": ""}, "path required"),
        (GET, {"path": 5}, "path required"),
        *((GET, {"path": "x", "from": bad}, "from must be a positive integer") for bad in (0, 1.5)),
        *(
            (GET, {"path": "x", "lines": bad}, "lines must be a positive integer")
            for bad in (0, "2")
        ),
        (GET, {"path": "x", "corpus": "sessions"}, "corpus must be one of: memory, wiki, all"),
    ],
)
def test_bad_arguments_are_thrown_tool_errors(
    workspace: Workspace, tool: Any, bad: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        call(tool, workspace, bad)

    assert str(caught.value) == words


def test_the_result_is_one_text_of_pretty_printed_json(workspace: Workspace) -> None:
    text = answer_text(call(SEARCH, workspace, {"query": "venue"}))

    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    assert text.startswith('{\n  "results": [\n')


# “Result of `memory_search`”


def test_a_hit_has_the_fields_of_the_contract(workspace: Workspace) -> None:
    found = search(workspace, "wedding venue")
    hit = found["results"][0]

    assert set(found) == {"results", "provider", "model", "citations", "mode", "debug"}
    scores = ("score", "vectorScore", "textScore")
    assert {name: value for name, value in hit.items() if name not in scores} == {
        "path": "MEMORY.md",
        "startLine": 4,
        "endLine": 5,
        "snippet": "- Wedding venue: Black Canyon Inn.\n  The garden is booked."
        "\n\nSource: MEMORY.md#L4-L5",
        "source": "memory",
        "importance": 7,
        "triggers": "venue; inn",
        "projectKey": "w",
        "provenance": {"originClass": "agent", "sessionKind": "unknown"},
        "corpus": "memory",
        "citation": "MEMORY.md#L4-L5",
    }
    assert all(0 <= hit[name] <= 1 for name in scores)
    assert set(found["debug"]) == {
        "backend",
        "effectiveMode",
        "managerMs",
        "searchMs",
        "hits",
        "candidateHits",
        "withheldHits",
        "searchWindow",
        "toolMs",
        "outsideSearchMs",
    }


def test_absent_values_are_omitted_not_null(workspace: Workspace) -> None:
    """“`importance`, `triggers`, `projectKey` only when annotated”"""
    (hit,) = search(workspace, "caterer rosso", maxResults=1)["results"]

    assert not {"importance", "triggers", "projectKey"} & set(hit)


def test_without_embeddings_there_is_no_vector_score_and_no_model(
    files: Path, opened: Opener
) -> None:
    (files / ".remem").mkdir()
    (files / ".remem/config.toml").write_text('embedder = "none"\n')
    found = search(opened(embedder=None), "wedding venue")

    assert found["provider"] == "none"
    assert "model" not in found
    assert "vectorScore" not in found["results"][0]


@pytest.mark.parametrize(("start", "cited"), [(4, "MEMORY.md#L4-L5"), (6, "MEMORY.md#L6")])
def test_a_citation_names_one_line_or_a_range(workspace: Workspace, start: int, cited: str) -> None:
    """“`path#L4` when start = end, else `path#L4-L5`”"""
    hits = search(workspace, "wedding venue caterer")["results"]

    assert [hit["citation"] for hit in hits if hit["startLine"] == start] == [cited]


@pytest.mark.parametrize(
    ("mode", "session", "cited"),
    [
        ("auto", "main", True),
        ("auto", "agent:main:telegram:direct:77", True),
        ("auto", ROOM, False),
        ("on", ROOM, True),
        ("off", "main", False),
    ],
)
def test_auto_includes_citations_only_in_a_direct_chat(
    files: Path, opened: Opener, mode: str, session: str, cited: bool
) -> None:
    (files / ".remem").mkdir()
    (files / ".remem/config.toml").write_text(f'citations = "{mode}"\n')
    (files / "memory/groups/alpha.md").write_text("- The venue is red.\n", encoding="utf-8")
    peer = opened("agent:main:telegram:direct:77")
    own = files / "memory/peers" / peer.services.context.layout.domains(peer.scope).parent.name
    own.mkdir(parents=True, exist_ok=True)
    (own / "notes.md").write_text("- The venue is blue.\n", encoding="utf-8")

    workspace = opened(session)
    workspace.services.files.get_for_host("memory/groups/alpha.md")  # the only way into a room
    found = search(workspace, "venue")

    assert found["citations"] == mode
    assert found["results"]
    for hit in found["results"]:
        assert ("citation" in hit) is cited
        assert ("\n\nSource: " in hit["snippet"]) is cited


@pytest.mark.parametrize("sign", ["x", "é", "数", "🦀", "a🦀"])
def test_a_snippet_has_at_most_700_characters_and_cuts_no_surrogate_pair(
    files: Path, opened: Opener, sign: str
) -> None:
    (files / "memory/long.md").write_text(f"gateway {sign * 1500}\n", encoding="utf-8")

    for hit in search(opened(), "gateway")["results"]:
        assert utf16_length(hit["snippet"]) <= 700
        assert "\ud83e" not in json.loads(json.dumps(hit["snippet"]))
        hit["snippet"].encode()


def test_annotations_are_stripped_from_snippets(workspace: Workspace) -> None:
    for hit in search(workspace, "wedding venue trigger importance project")["results"]:
        assert not re.search(r"<!--|trigger:|importance:|project:", hit["snippet"])


def test_no_hit_is_not_an_error(workspace: Workspace) -> None:
    """“`results: []` with provider, citations, debug”"""
    found = search(workspace, "zyzzyva", corpus="memory")

    assert found["results"] == []
    assert {"provider", "citations", "debug"} <= set(found)
    assert not {"error", "disabled", "unavailable", "warning"} & set(found)


def test_most_results_and_least_score_are_obeyed(files: Path, opened: Opener) -> None:
    lines = "".join(f"## Gateway {n}\n- gateway number {n} of {n % 7}\n" for n in range(40))
    (files / "USER.md").write_text(lines, encoding="utf-8")
    workspace = opened()

    assert len(search(workspace, "gateway")["results"]) == 6
    assert len(search(workspace, "gateway", maxResults=2)["results"]) == 2
    assert len(search(workspace, "gateway", maxResults=25)["results"]) == 25
    strict = search(workspace, "gateway number 5", minScore=0.9, maxResults=30)["results"]
    assert 0 < len(strict) < 30
    assert all(hit["score"] >= 0.9 for hit in strict)
    assert search(workspace, "gateway", minScore=1.5)["results"] == []


def test_results_come_best_first(workspace: Workspace) -> None:
    scores = [hit["score"] for hit in search(workspace, "wedding venue caterer inn")["results"]]

    assert scores == sorted(scores, reverse=True)


def test_all_is_cut_at_ten_and_names_its_corpora(files: Path, opened: Opener) -> None:
    """“the merged list of corpus `wiki`/`all` is cut at 10”; “`corpus: all|wiki` adds `corpora`”"""
    (files / "USER.md").write_text("".join(f"- gateway {n}\n" for n in range(40)), encoding="utf-8")
    workspace = opened()
    found = search(workspace, "gateway", corpus="all", maxResults=30)

    assert len(found["results"]) == 10
    assert found["corpora"] == [
        {"corpus": "memory", "outcome": "ok"},
        {"corpus": "wiki", "outcome": "not-registered"},
    ]
    assert "corpora" not in search(workspace, "gateway")


def test_a_missing_wiki_is_reported_as_missing(workspace: Workspace) -> None:
    found = search(workspace, "wedding", corpus="wiki")

    assert found["results"] == []
    assert found["corpora"] == [{"corpus": "wiki", "outcome": "not-registered"}]
    assert "wiki" in found["warning"]


# “Unavailable, partial, stale”


def test_transcripts_that_are_not_enabled_are_unavailable(workspace: Workspace) -> None:
    found = search(workspace, "wedding", corpus="sessions")

    assert found["results"] == []
    assert (found["disabled"], found["unavailable"]) == (True, True)
    assert found["error"] == "Session transcript search is not enabled."
    assert found["warning"]
    assert found["action"]
    assert {name: found["debug"][name] for name in ("warning", "action", "error")} == {
        name: found[name] for name in ("warning", "action", "error")
    }
    assert not {"timedOut", "timeoutMs"} & set(found)


class Broken(Deterministic):
    """A model that made vectors, and is gone."""

    def embed_query(self, text: str) -> QueryEmbedding:
        raise EmbedderError("insufficient_quota")


def test_partial_where_the_model_fails_and_keywords_answer(files: Path, opened: Opener) -> None:
    found = search(opened(embedder=Broken()), "wedding venue")

    assert found["results"][0]["startLine"] == 4
    assert found["partial"] is True
    assert "insufficient_quota" in found["warning"]
    assert found["action"]
    assert not {"unavailable", "disabled"} & set(found)


def test_stale_comes_with_real_results(files: Path, opened: Opener) -> None:
    """“`stale: true`, `warning`, `action` beside real results”"""
    workspace = opened()
    search(workspace, "wedding")
    os.truncate(files / ".remem/main/passages.db", 1000)
    for path in (files / ".remem/main").glob("passages.db-*"):
        path.unlink()

    found = search(opened(), "wedding venue")

    assert found["results"]
    assert found["stale"] is True
    assert found["warning"]
    assert found["action"]


# “Result of `memory_get`”


def written(root: Path, text: str) -> None:
    (root / "memory/x.md").write_text(text, encoding="utf-8")


def test_read(workspace: Workspace, files: Path) -> None:
    written(files, "one\ntwo\nthree\nfour\n")

    assert get(workspace, "memory/x.md") == {
        "status": "ok",
        "text": "one\ntwo\nthree\nfour",
        "path": "memory/x.md",
        "from": 1,
        "lines": 4,
    }


def test_more_left(workspace: Workspace, files: Path) -> None:
    written(files, "one\ntwo\nthree\n")

    assert get(workspace, "memory/x.md", lines=2) == {
        "status": "ok",
        "text": "one\ntwo\n\n[More content available. Use from=3 to continue.]",
        "path": "memory/x.md",
        "from": 1,
        "lines": 2,
        "truncated": True,
        "nextFrom": 3,
    }
    assert get(workspace, "memory/x.md", **{"from": 3})["text"] == "three"


def test_from_past_the_end(workspace: Workspace) -> None:
    assert get(workspace, "MEMORY.md", **{"from": 99}) == {
        "status": "ok",
        "text": "",
        "path": "MEMORY.md",
        "from": 99,
        "lines": 0,
    }


def test_no_such_file(workspace: Workspace) -> None:
    assert get(workspace, "memory/nope.md") == {
        "status": "not_found",
        "text": "",
        "path": "memory/nope.md",
    }


@pytest.mark.parametrize("path", ["../secret.md", "AGENTS.md", "memory/x.json"])
def test_not_a_memory_file(workspace: Workspace, files: Path, path: str) -> None:
    (files / path).write_text("{}", encoding="utf-8")

    assert get(workspace, path) == {
        "path": path,
        "text": "",
        "status": "error",
        "code": "MEMORY_PATH_NOT_ALLOWED",
        "error": "path is not an allowed Markdown memory file",
    }


def test_other_trouble_has_the_systems_code(workspace: Workspace, files: Path) -> None:
    (files / "memory/x.md").mkdir()
    told_ = get(workspace, "memory/x.md")

    assert (told_["status"], told_["code"], told_["text"]) == ("error", "EISDIR", "")
    assert told_["error"]


def test_a_miss_in_all_corpora_names_them(workspace: Workspace) -> None:
    told_ = get(workspace, "memory/nope.md", corpus="all")

    assert told_["status"] == "not_found"
    assert {corpus["corpus"] for corpus in told_["corpora"]} == {"memory", "wiki"}
    assert get(workspace, "MEMORY.md", corpus="all")["status"] == "ok"


def test_a_wiki_page_without_a_wiki(workspace: Workspace) -> None:
    told_ = get(workspace, "MEMORY.md", corpus="wiki")

    assert set(told_) == {"path", "text", "corpora", "warning"}
    assert told_["corpora"] == [{"corpus": "wiki", "outcome": "not-registered"}]
    assert told_["text"] == ""


def test_120_lines_and_12_000_characters_whole_lines_only(
    workspace: Workspace, files: Path
) -> None:
    written(files, "x\n" * 130)
    assert (get(workspace, "memory/x.md")["lines"], get(workspace, "memory/x.md")["nextFrom"]) == (
        120,
        121,
    )

    written(files, ("x" * 1_199 + "\n") * 20)
    told_ = get(workspace, "memory/x.md")
    assert (told_["lines"], told_["nextFrom"]) == (10, 11)


def test_a_single_over_long_line(workspace: Workspace, files: Path) -> None:
    """“hard-cut, has no `nextFrom`, and ends `[More content available. …]`”"""
    written(files, "x" * 13_000 + "\nnext\n")
    told_ = get(workspace, "memory/x.md")

    assert "nextFrom" not in told_
    assert (told_["lines"], told_["truncated"]) == (1, True)
    assert told_["text"] == "x" * 12_000 + (
        "\n\n[More content available. Requested excerpt exceeded the default maxChars budget. "
        "If you need the full raw line, use read on the source file.]"
    )


@pytest.mark.parametrize(
    ("text", "lines"), [("a\nb", 2), ("a\nb\n", 2), ("a\nb\n\n", 3), ("a\r\nb\rc\u2028d\n", 2)]
)
def test_lines_are_split_at_lf_and_one_empty_last_line_is_dropped(
    workspace: Workspace, files: Path, text: str, lines: int
) -> None:
    (files / "memory/x.md").write_bytes(text.encode())

    assert get(workspace, "memory/x.md")["lines"] == lines


# “Path rules”


@each_row(
    ("path", "allowed"),
    [
        ("MEMORY.md", True),
        ("memory.md", False),
        ("USER.md", True),
        ("DREAMS.md", True),
        ("Dreams.md", True),
        ("./MEMORY.md", True),
        ("memory/deep/x.md", True),
        ("brain/areas/x/summary.md", True),
        ("life/x.md", True),
        ("SOUL.md", False),
        ("notes/x.md", False),
    ],
)
def test_which_paths_are_allowed(
    workspace: Workspace, files: Path, path: str, allowed: bool
) -> None:
    (files / path).parent.mkdir(parents=True, exist_ok=True)
    (files / path).touch()

    assert get(workspace, path)["status"] == ("ok" if allowed else "error")


def test_an_absolute_path_is_made_relative_again(workspace: Workspace, files: Path) -> None:
    assert get(workspace, str(files / "MEMORY.md"))["path"] == "MEMORY.md"
    assert get(workspace, "/etc/passwd")["code"] == "MEMORY_PATH_NOT_ALLOWED"


def test_extra_folders_allow_markdown_inside_and_an_extra_file_only_itself(
    files: Path, opened: Opener, tmp_path: Path
) -> None:
    vault, single, link = tmp_path / "vault", tmp_path / "one.md", tmp_path / "link"
    vault.mkdir()
    link.symlink_to(vault)
    for path in (vault / "a.md", vault / "b.txt", single, tmp_path / "two.md"):
        path.write_text(f"gateway {path.name}", encoding="utf-8")
    (files / ".remem").mkdir()
    extra = json.dumps([str(vault), str(single), str(link)])
    (files / ".remem/config.toml").write_text(f"extra_paths = {extra}\n", encoding="utf-8")
    workspace = opened()

    codes = {
        path.name: get(workspace, str(path)).get("code", "ok")
        for path in (vault / "a.md", vault / "b.txt", single, tmp_path / "two.md")
    }

    closed = "MEMORY_PATH_NOT_ALLOWED"
    assert codes == {"a.md": "ok", "b.txt": closed, "one.md": "ok", "two.md": closed}
    assert get(workspace, str(link / "a.md"))["code"] == closed
    found = {hit["path"] for hit in search(workspace, "gateway")["results"]}
    assert found == {str(vault / "a.md"), str(single)}


def test_what_search_names_get_opens(files: Path, opened: Opener) -> None:
    """“search first; then get only the needed lines”"""
    (files / "memory/notes/日记").mkdir(parents=True)
    (files / "memory/notes/日记/a b.md").write_text("# Day\n\ngateway up\n", encoding="utf-8")
    workspace = opened()

    for hit in search(workspace, "gateway wedding venue")["results"]:
        lines = hit["endLine"] - hit["startLine"] + 1
        text = get(workspace, hit["path"], lines=lines, **{"from": hit["startLine"]})["text"]
        assert hit["snippet"].partition("\n")[0] in text


def test_session_paths_are_references_not_readable(workspace: Workspace) -> None:
    assert get(workspace, "sessions/main/1.jsonl")["code"] == "MEMORY_PATH_NOT_ALLOWED"


def test_this_suite_would_notice_a_wrong_type() -> None:
    """The schema that every answer above is held against is not empty."""
    validator = Draft202012Validator(output_schema(GET.result))

    assert not validator.is_valid({"text": None, "path": "x"})
    assert not validator.is_valid({"text": "", "path": 5})
    assert not validator.is_valid({"text": "", "path": "x", "nextFrom": "3"})

from pathlib import Path
from typing import Any

from remem.files.transcripts.reading import open_transcript
from tests.files.transcripts.samples import codex, event, item, lines_of, meta, texts_of, written
from tests.tables import each_row


def heard(path: Path, *records: Any) -> list[tuple[str, int]]:
    return [
        (line.text, line.line) for line in lines_of(written(path / "r.jsonl", [meta(), *records]))
    ]


def test_messages_are_read_and_the_events_that_repeat_them_are_not(tmp_path: Path) -> None:
    path = written(
        tmp_path / "rollout.jsonl",
        [
            meta(),
            codex("turn_context", cwd="/w", model="m"),
            item("developer", "be nice"),
            item("user", "hello codex"),
            event("user_message", "hello codex"),
            codex("response_item", type="reasoning", summary=[]),
            codex("response_item", type="function_call", name="shell", arguments="{}"),
            codex("response_item", type="function_call_output", output="she likes tea"),
            event("agent_message", "done, all of it"),
            item("assistant", "done, all of it"),
            codex("event_msg", type="token_count", info=None),
        ],
    )

    reading = open_transcript(path)
    lines = list(reading.lines())

    assert reading.host == "codex"
    assert [(line.text, line.line, line.time) for line in lines] == [
        ("User: hello codex", 4, "2026-11-10T09:00:03Z"),
        ("Assistant: done, all of it", 10, "2026-11-10T09:00:03Z"),
    ]
    assert reading.skipped == {"other record": 4, "tool": 3, "repeated": 2}


def test_an_event_without_a_message_is_read(tmp_path: Path) -> None:
    assert heard(
        tmp_path, event("user_message", "only shown"), event("agent_message", "so is this")
    ) == [("User: only shown", 2), ("Assistant: so is this", 3)]


def test_a_statement_made_twice_is_read_twice(tmp_path: Path) -> None:
    twice = [item("user", "ok"), event("user_message", "ok")]

    assert heard(tmp_path, *twice, item("assistant", "yes"), *twice) == [
        ("User: ok", 2),
        ("Assistant: yes", 4),
        ("User: ok", 5),
    ]


def test_order_is_that_of_the_file_however_many_turns_there_are(tmp_path: Path) -> None:
    records = []
    for number in range(300):
        records += [
            event("agent_message", f"answer {number}"),
            item("assistant", f"answer {number}"),
        ]

    found = heard(tmp_path, *records)

    assert found == [(f"Assistant: answer {n}", 2 * n + 3) for n in range(300)]


@each_row(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
        "<user_instructions>be nice</user_instructions>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe nice\n</INSTRUCTIONS>",
        "<turn_aborted>by the user</turn_aborted>",
    ],
)
def test_what_codex_adds_in_the_persons_place_is_not_read(tmp_path: Path, text: str) -> None:
    assert heard(tmp_path, item("user", text), item("user", "mine")) == [("User: mine", 3)]


@each_row("source", [{"subagent": "review"}, {"subagent": {"thread_spawn": {}}}])
def test_a_sub_agents_session_is_not_a_conversation(tmp_path: Path, source: Any) -> None:
    path = written(tmp_path / "r.jsonl", [item("user", "do this"), meta(source=source)])

    assert open_transcript(path).refusal is not None
    assert texts_of(path) == []


@each_row(
    "record",
    [
        codex("response_item", type="message", role="user", content=None),
        codex("response_item", type="message", role="user", content=[{"type": "input_image"}]),
        codex("response_item", type="message", role=["user"], content="x"),
        codex("response_item", type=7),
        codex("event_msg", type="user_message", message=None),
        codex("event_msg", type="user_message"),
        {"type": "response_item", "payload": "text"},
        {"type": "compacted", "payload": {"message": "a summary"}},
    ],
)
def test_a_record_of_another_shape_is_counted(tmp_path: Path, record: dict[str, Any]) -> None:
    reading = open_transcript(written(tmp_path / "r.jsonl", [meta(), record, item("user", "mine")]))

    assert [line.text for line in reading.lines()] == ["User: mine"]
    assert reading.skipped.total() == 2

"""Chapter: the memory of a group, from a room without a name to a decision that is found."""

from __future__ import annotations

from typing import Any, Final

from examples.demo.stage import Host, Stage
from remem.files.layout import Layout
from remem.setup.rooms import map_room

_KEY: Final = "agent:main:telegram:group:-100123"
_ROOM: Final = "telegram:-100123"
_LESSONS: Final[tuple[dict[str, str], ...]] = (
    {"kind": "decision", "text": "The oven is serviced in March, because orders are few then."},
    {"kind": "task", "text": "Order rye flour", "status": "open"},
    {"kind": "person", "text": "Rui is the baker and answers on the phone only."},
)
_MESSAGE: Final = "Why did we decide to service the oven in March?"


async def run_group_chapter(stage: Stage, private: str) -> None:
    """`private` is a question that only main can answer."""
    stage.chapter(5, "A group chat: from an unnamed room to a decision")
    async with stage.server(_KEY) as host:
        await _unnamed(stage, host)
        map_room(Layout(stage.folder), _ROOM, "kitchen")
        stage.say(f"$ remem rooms map {_ROOM} kitchen")
        await _walled(stage, host, private)
        await _flushed(stage, host)
        await _opened(stage, host)


async def _unnamed(stage: Stage, host: Host) -> None:
    reply = await host.call("memory_recall", query=_MESSAGE)
    stage.say(reply.text, dim=True)
    stage.claim("an unnamed room has no memory, and the answer says why", reply.refused)


async def _walled(stage: Stage, host: Host, private: str) -> None:
    reply = await host.call("memory_recall", query=private)
    stage.say(reply.text, dim=True)
    stage.claim("a group reads nothing before its gate", "GATE_FIRST" in reply.text)
    await host.call("memory_open", message=private)
    reply = await host.call("memory_recall", query=private)
    stage.claim(
        "a group sees nothing of main's memory, not even a count",
        not reply.refused and reply.value["total_entries_matched"] == 0,
    )


async def _flushed(stage: Stage, host: Host) -> None:
    done = (await host.call("memory_flush", items=list(_LESSONS))).value
    for lesson in done.get("written", ()):
        stage.say(f"{lesson['kind']:<12}→ {lesson['home']}")
    stage.claim(
        "a flush writes each lesson of the conversation to its file",
        len(done.get("written", ())) == len(_LESSONS),
    )
    again = (await host.call("memory_flush", items=list(_LESSONS))).value
    stage.claim("a second flush writes nothing twice", again.get("written") == [])


async def _opened(stage: Stage, host: Host) -> None:
    stage.say(f"“{_MESSAGE}”", italic=True)
    answer = (await host.call("memory_open", message=_MESSAGE)).value
    for step in answer.get("trace", ()):
        stage.say(_step_line(step), dim=True)
    pages = answer.get("pages", ())
    wanted = ["memory/groups/kitchen.md", "memory/groups/kitchen/experience.md"]
    stage.claim(
        "the gate that the flush created leads to the one file needed",
        [page["path"] for page in pages] == wanted,
    )
    stage.claim("the decision is in it", any("serviced in March" in page["text"] for page in pages))
    tokens, budget = answer.get("token_count", 1), answer.get("budget", 0)
    stage.claim(f"it costs {tokens} tokens of {budget}", tokens <= budget)


def _step_line(step: dict[str, Any]) -> str:
    cost = f", {step['tokens']} tokens" if step.get("tokens") else ""
    refused = "".join(f"; refused: {page}" for page in step.get("refused", ()))
    return f"{step['step']:<12}{step['outcome']}{cost}{refused}"

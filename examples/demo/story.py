"""The story of the demo, in chapters that check their own claims."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Final

import anyio

from examples.demo.fortnight_story import run_fortnight_chapter
from examples.demo.graph_story import run_graph_chapter
from examples.demo.group_story import run_group_chapter
from examples.demo.space_story import run_space_chapter
from examples.demo.stage import Host, Stage
from remem.app.opening import open_workspace
from remem.embed.counters import choose_counter

_KEY: Final = "sk-" + "proj-9aB7cD2eF4gH6jK8mN3pQ5rS"  # has the format of a key, opens nothing
_MEMORIES: Final[tuple[dict[str, Any], ...]] = (
    {
        "category": "preference",
        "content": "David drinks his coffee black and wants short answers in the morning.",
        "tags": ["david", "coffee"],
    },
    {
        "category": "instruction",
        "content": "Never send a message to anybody outside without asking David first.",
        "priority": "critical",
    },
    {
        "category": "project",
        "content": "The bakery website: Ana designs it, it goes live on 2026-12-01.",
        "tags": ["bakery"],
    },
    {
        "category": "person",
        "content": "Ana is David's sister. She lives in Porto and is a designer.",
        "tags": ["ana", "david"],
    },
    {
        "category": "decision",
        "content": "The bakery website is plain HTML, because Ana must be able to edit it herself.",
        "context": "a content management system was the alternative",
        "tags": ["bakery", "ana"],
    },
    {
        "category": "fact",
        "content": "orders: the bakery's orders arrive in the channel C0AB5HERFFT.",
        "tags": ["channel", "bakery"],
    },
    {
        "category": "fact",
        "content": f"The bakery's mail service is reached with the key {_KEY}.",
        "tags": ["bakery"],
    },
)
_QUESTION: Final = "How does David like his coffee, and what does Ana do for the bakery?"
_BUDGET: Final = 300


async def run_story(stage: Stage) -> None:
    """Run all chapters; `stage.broken` then lists the claims that do not hold."""
    stage.folder.mkdir(parents=True, exist_ok=True)
    async with stage.server("main") as host:
        ids = await _remember(stage, host)
        await _afford(stage, host)
        await _begin(stage, host)
        await _edit(stage, host, ids[0])
    await run_group_chapter(stage, _QUESTION)
    await run_fortnight_chapter(stage)
    await run_space_chapter(stage)
    await run_graph_chapter(stage)


async def _remember(stage: Stage, host: Host) -> list[str]:
    stage.chapter(1, "An agent learns something: memory_store")
    ids = []
    for memory in _MEMORIES:
        receipt = (await host.call("memory_store", **memory)).value
        ids.append(receipt.get("id", ""))
        masked = ", ".join(receipt.get("redacted", ()))
        cost = f"{ids[-1]}, {receipt.get('token_cost')} tokens"
        shown = memory["content"].replace(_KEY, f"{_KEY[:6]}…{_KEY[-4:]}")
        stage.say(f"{memory['category']:<12}{shown}")
        stage.say(f"{'':<12}{cost}, redacted: {masked}" if masked else f"{'':<12}{cost}", dim=True)
    stage.claim(f"{len(_MEMORIES)} memories are stored", len(set(ids) - {""}) == len(_MEMORIES))
    files = [path for path in stage.folder.rglob("*") if path.is_file()]
    secret = _KEY.encode()
    stage.claim(
        "the key was masked before it reached the disk: no file contains it",
        bool(files) and not any(secret in path.read_bytes() for path in files),
    )
    return ids


async def _afford(stage: Stage, host: Host) -> None:
    stage.chapter(2, f"Later it asks a question, with a budget of {_BUDGET} tokens: memory_recall")
    stage.say(f"“{_QUESTION}”", italic=True)
    reply = await host.call("memory_recall", query=_QUESTION, token_budget=_BUDGET)
    answer = reply.value
    for entry in answer.get("entries", ()):
        stage.say(f"{entry['score']:.2f}  {entry['category']:<11} {entry['content']}")
    for note in answer.get("notes", ()):
        stage.say(note, fg="yellow")
    stage.say(
        f"{answer.get('token_count')} tokens, {answer.get('left_out')} of "
        f"{answer.get('total_entries_matched')} matches left out",
        dim=True,
    )
    found = " ".join(entry["content"] for entry in answer.get("entries", ()))
    stage.claim("the coffee is in the answer", "coffee black" in found)
    stage.claim(
        "the whole answer, counted as the model reads it, is within the budget",
        0 < choose_counter().count(reply.text) <= _BUDGET,
    )


async def _begin(stage: Stage, host: Host) -> None:
    stage.chapter(3, "What every conversation starts with: the index")
    text = await host.index()
    for line in text.splitlines():
        stage.say(line)
    tokens = choose_counter().count(text)
    stage.claim("the critical instruction is in it", "Never send a message" in text)
    stage.claim("the channel is in it", "C0AB5HERFFT" in text)
    stage.claim(f"it costs {tokens} tokens, under 1,500", tokens < 1500)


async def _edit(stage: Stage, host: Host, id_: str) -> None:
    stage.chapter(4, "A person corrects the memory in a text editor")
    file = stage.folder / "memory" / "domains" / "preferences.md"
    before = await _written(file, "coffee black")
    stage.claim("the entry is a line of memory/domains/preferences.md", before != "")
    if not before:
        return
    after = before.replace("drinks his coffee black", "drinks his coffee with oat milk")
    file.write_text(after, encoding="utf-8")
    changes = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "preferences.md", "preferences.md", "", "", 0, ""
    )
    for line in changes:
        stage.say(line, fg={"+": "green", "-": "red"}.get(line[:1]))
    answer = (await host.call("memory_recall", query="How does David like his coffee?")).value
    found = " ".join(entry["content"] for entry in answer.get("entries", ()))
    stage.claim("the next recall finds the new wording", "oat milk" in found)
    with open_workspace(stage.folder, background=False) as workspace:
        versions = workspace.history(id_)
    for version in versions:
        stage.say(f"version {version.version}, {version.change}: {version.entry.content}")
    wordings = [version.entry.content for version in versions]
    stage.claim(
        "the history has both wordings",
        "black" in wordings[0] and "oat milk" in wordings[-1],
    )


async def _written(file: Path, words: str) -> str:
    """The file, once the server has written the words into it; else nothing."""
    for _ in range(200):
        if file.is_file() and words in (text := file.read_text(encoding="utf-8")):
            return text
        await anyio.sleep(0.05)
    return ""

"""Chapter: two agents and a sub-agent share a space, and nobody else notices it."""

from __future__ import annotations

from typing import Any, Final

from examples.demo.stage import Host, Stage
from remem.app.opening import open_workspace
from remem.files.layout import Layout
from remem.files.session_tokens import SessionTokens

_SPACE: Final = "bakery"
_MAIN: Final = "agent:main:main"
_SHOP: Final = "agent:shop:subagent:1"
_GROUP: Final = "agent:main:telegram:group:-100123"
_UNKNOWN: Final = "agent:main:telegram:group:-999"
_OPENING: Final = "The bakery opens at seven, on Sundays at eight."
_PRICE: Final = "A loaf of rye bread costs 4.20 euros from December on."
_QUESTION: Final = "What does a loaf of rye bread cost?"


async def run_space_chapter(stage: Stage) -> None:
    stage.chapter(7, "Two agents and a sub-agent share a space")
    with open_workspace(stage.folder, background=False) as owner:
        owner.spaces.create(_SPACE)
        owner.spaces.grant(_SPACE, "agent:shop", "propose")
        owner.spaces.grant(_SPACE, "groups")
    stage.say(f"$ remem spaces create {_SPACE}")
    stage.say(f"$ remem spaces grant {_SPACE} agent:shop propose")
    stage.say(f"$ remem spaces grant {_SPACE} groups")
    issued = SessionTokens(Layout(stage.folder))
    keys = (_MAIN, _SHOP, _GROUP, _UNKNOWN)
    tokens = {key: issued.issue(key, "demo").token for key in keys}
    async with stage.token_server() as host:
        await _stored(stage, host, tokens)
        await _proposed(stage, host, tokens)
        await _sub_agent(stage, host, tokens)
        await _denied(stage, host, tokens)


async def _stored(stage: Stage, host: Host, tokens: dict[str, str]) -> None:
    memory = {"space": _SPACE, "category": "fact", "content": _OPENING}
    receipt = await _call(host, tokens[_MAIN], "memory_shared_store", **memory)
    found = await _recall(host, tokens[_SHOP], "When does the bakery open?")
    stage.say(f"agent:main stores: {_OPENING}")
    stage.claim(
        "what one agent stores, the other finds, with its author",
        [entry["author"] for entry in found] == [receipt.get("author")] == ["agent:main"],
    )


async def _proposed(stage: Stage, host: Host, tokens: dict[str, str]) -> None:
    memory = {"space": _SPACE, "category": "fact", "content": _PRICE}
    receipt = await _call(host, tokens[_SHOP], "memory_shared_store", **memory)
    before = await _recall(host, tokens[_MAIN], _QUESTION)
    with open_workspace(stage.folder, background=False) as owner:
        owner.spaces.proposals(accept=[receipt.get("id", "")])
    stage.say(f"agent:shop proposes: {_PRICE}")
    stage.say(f"$ remem proposals --accept {receipt.get('id')}")
    after = await _recall(host, tokens[_MAIN], _QUESTION)
    stage.claim(
        "a proposal is found only after the owner has accepted it",
        _PRICE not in [entry["content"] for entry in before] and after[0]["content"] == _PRICE,
    )


async def _sub_agent(stage: Stage, host: Host, tokens: dict[str, str]) -> None:
    given: dict[str, Any] = {"name": "counter", "spaces": [_SPACE], "expires_in": "30m"}
    handle = await _call(host, tokens[_MAIN], "memory_shared_handle", **given)
    found = await _recall(host, handle.get("token", ""), _QUESTION)
    stage.say(f"{found[0]['author']} in {found[0]['space']}: {found[0]['content']}", dim=True)
    stage.claim("a sub-agent reads the space with its parent's handle", bool(found))
    token = handle.get("token", "")
    private = await host.call("memory_recall", session_token=token, query=_QUESTION)
    stage.say(private.text, dim=True)
    stage.claim("and reaches nothing else with it", private.refused)


async def _denied(stage: Stage, host: Host, tokens: dict[str, str]) -> None:
    group = await _recall(host, tokens[_GROUP], _QUESTION)
    unknown = await _recall(host, tokens[_UNKNOWN], _QUESTION)
    stage.claim(
        "a group reads what was granted to groups, an unknown chat gets an empty answer",
        bool(group) and unknown == [],
    )
    with open_workspace(stage.folder, background=False) as owner:
        owner.spaces.revoke(_SPACE, "groups")
        log = owner.spaces.log(_SPACE)
    stage.say(f"$ remem spaces revoke {_SPACE} groups")
    stage.claim(
        "a grant ends with the next call", await _recall(host, tokens[_GROUP], _QUESTION) == []
    )
    authors = {use.who for use in log}
    stage.claim(
        "the log names everybody who used the space",
        {"owner", "agent:main", "subagent:shop", "subagent:main/counter"} <= authors,
    )


async def _recall(host: Host, token: str, question: str) -> list[dict[str, Any]]:
    answer = await _call(host, token, "memory_shared_recall", query=question)
    entries: list[dict[str, Any]] = answer.get("entries", [])
    return entries


async def _call(host: Host, token: str, tool: str, **given: Any) -> dict[str, Any]:
    return (await host.call(tool, session_token=token, **given)).value

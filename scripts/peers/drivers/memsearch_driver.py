"""A server for memsearch, which has none: one JSON message per line, in its own environment.

Writing is what its users do: a Markdown file grows, and is indexed again.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from memsearch import MemSearch  # type: ignore[import-not-found]  # it lives in another environment

NOTES = Path("notes")


async def main(base_url: str, model: str) -> None:
    NOTES.mkdir(exist_ok=True)
    memory = MemSearch(
        paths=[str(NOTES)],
        embedding_provider="openai",
        embedding_model=model,
        embedding_base_url=base_url,
        embedding_api_key="none",
        milvus_uri=str(Path("milvus.db").resolve()),
    )
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            try:
                answer = {"result": await answered(memory, asked["method"], asked["params"])}
            except Exception as error:  # noqa: BLE001 - it is the answer
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps({"id": asked["id"], **answer}, default=str), flush=True)


async def answered(memory: Any, method: str, params: dict[str, Any]) -> object:
    if method == "tools/list":
        return {"tools": []}
    if method != "tools/call":
        return {}
    arguments = params["arguments"]
    if params["name"] == "write":
        number = sum(1 for _ in NOTES.iterdir())
        file = NOTES / f"{number:06}.md"
        file.write_text(arguments["text"] + "\n")
        return {"indexed": await memory.index_file(file)}
    return {"found": await memory.search(arguments["query"], top_k=arguments["limit"])}


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

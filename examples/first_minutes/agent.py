"""An agent that stores a decision and looks it up in a later conversation."""

from pathlib import Path

from remem import open_workspace

HOME = Path("~/agent").expanduser()

with open_workspace(HOME, session="main") as memory:
    memory.store(category="decision", content="The ledger moves to SQLite.", tags=["ledger"])

with open_workspace(HOME, session="main") as memory:
    answer = memory.recall("what did we decide about the ledger?", token_budget=800)
    for entry in answer.entries:
        print(f"{entry.score:.2f}  {entry.content}")
    print(memory.index().text)

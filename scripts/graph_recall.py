"""Measure whether the graph helps recall with questions that need several memories.

python scripts/graph_recall.py CONVERSATIONS.jsonl.gz --category multi-hop [--limit 2]

Each turn is stored as a memory. For the questions of a category, the share of evidence among the
first ten results is compared with that of the first seven and their neighbours in the graph: what
they are related to, and what shares a thing or a topic with them. The number of relationships
between memories and things shows how much there was to follow.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.conversations import Conversation, read
from remem import open_workspace
from remem.app.workspace import Workspace

_FIRST, _KEPT = 10, 7
_AROUND = (
    "MATCH (m:Memory {id: $id})-[:RELATED_TO]-(n:Memory) RETURN n.id "
    "UNION MATCH (m:Memory {id: $id})-[r]->(x)<-[s]-(n:Memory) WHERE NOT x:Memory RETURN n.id"
)
_EDGES = "MATCH (a)-[r]->(b) WHERE NOT a:User RETURN count(r)"


def measure(conversation: Conversation, categories: Sequence[str]) -> tuple[list[float], ...]:
    """Return the recall of each question without and with the graph, and the relationships."""
    asked = [one for one in conversation.questions if one.category in categories]
    plain: list[float] = []
    widened: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        open_workspace(folder, keywords_only=True, background=False) as memory,
    ):
        turns = list(conversation.turns)
        receipts = memory.store_many(
            {"category": "fact", "content": turn.content, "created_at": turn.date[:10]}
            for turn in turns
        )
        turn_of = {receipt.id: turn.id for receipt, turn in zip(receipts, turns, strict=True)}
        edges = memory.graph.query(_EDGES).rows[0][0]
        for question in asked:
            found = [one.id for one in memory.recall(question.query, token_budget=8000).entries]
            more = _widened(memory, found)
            plain.append(_share(found, turn_of, question.gold_turns))
            widened.append(_share(more, turn_of, question.gold_turns))
    return plain, widened, [float(edges)]


def _widened(memory: Workspace, found: Sequence[str]) -> list[str]:
    kept = list(found[:_KEPT])
    for id_ in found[:_KEPT]:
        rows = memory.graph.query(_AROUND, {"id": id_}).rows
        kept += [other for (other,) in rows if other not in kept]
    return [*kept, *(id_ for id_ in found if id_ not in kept)]


def _share(found: Sequence[str], turn_of: dict[str, str], gold: frozenset[str]) -> float:
    first = {turn_of.get(id_) for id_ in found[:_FIRST]}
    return len(gold & first) / len(gold) if gold else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--category", action="append", required=True)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    totals: list[list[float]] = [[], [], []]
    for conversation in read(given.data, given.limit):
        for total, values in zip(totals, measure(conversation, given.category), strict=True):
            total.extend(values)
    plain, widened, edges = totals
    count = max(1, len(plain))
    print(f"{len(plain)} questions, {sum(edges):.0f} relationships of memories")
    print(f"recall@10 {sum(plain) / count:.1%}, with the graph {sum(widened) / count:.1%}")


if __name__ == "__main__":
    main()

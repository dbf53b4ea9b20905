"""The tool that judges what the memory keeps: memory_curate."""

from __future__ import annotations

from typing import Final

from remem.app.tools.declare import Parameter, Tool
from remem.model.arguments import MAX_BUDGET, MIN_BUDGET
from remem.model.entry import CATEGORIES
from remem.model.verdict import GIVEN_ANSWERS, TOPICS

CURATE: Final = Tool(
    name="memory_curate",
    command="curate",
    title="Curate the memory",
    purpose=(
        "Judge what the memory keeps and what every conversation starts with. "
        "Call it after a migration and about once a week, or when asked; never unasked in a "
        "group. Without verdicts it returns the page (the index with its size), what it leaves "
        "out, and doubtful memories, each with a short name, and says how to judge. Answer with "
        "lists of names and end with keep `*`, which holds the rest of the page; the result is the "
        "new page, which further verdicts may correct. "
        "Verdicts on the owner's lines, instructions and items in review are proposals: tell the "
        "owner that `remem curate --accept` applies them."
    ),
    help="""Judge what the memory keeps.

Without verdicts it shows the page: the lines of the index with their names and tokens. Below the
page are the best lines that it leaves out (from entries, files and recent conversations), memories
in review, duplicates and contradictions. Answer with --keep, --drop and --pin, or with VERDICTS, a
file with a JSON list (`-` is standard input). `--keep '*'` keeps the rest of the page as it is, and
adds no other lines. Your verdicts apply at once and can be undone. Verdicts of agents and of --llm
on your own lines, instructions and memories in review are proposals until you accept them.""",
    examples=(
        "remem curate --topic index",
        "remem curate --drop bodaki --pin mem-9w2x7c4d",
        "remem curate verdicts.json",
        "remem curate --list",
        "remem curate --accept --only 3",
        "remem curate --undo --only 12",
    ),
    argument="verdicts",
    parameters=(
        Parameter(
            "verdicts",
            "objects",
            "your answers",
            fields=(
                Parameter(
                    "answer",
                    "choice",
                    "keep: right as it is (in review: true; left out: store it)",
                    required=True,
                    choices=GIVEN_ANSWERS,
                ),
                Parameter("items", "texts", "names; * in keep: rest of the page", required=True),
                Parameter("text", "text", "for reword or merge of lines, in words of the source"),
                Parameter("category", "choice", "for recategorise", choices=CATEGORIES),
                Parameter("into", "text", "for merge and drop of a pair: `other` if it stays"),
                Parameter("why", "text", "a reason for the owner"),
            ),
        ),
        Parameter("topic", "choice", "only these items", choices=TOPICS),
        Parameter(
            "token_budget",
            "integer",
            "maximum cost of the answer in tokens",
            default=8000,
            minimum=MIN_BUDGET,
            maximum=MAX_BUDGET,
        ),
    ),
    returns="remem.admin.curate.result:Curation",
    run=lambda workspace, arguments: workspace.curate(**arguments),
    idempotent=False,
    profiles=("full",),
)

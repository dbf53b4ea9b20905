"""Which tool keeps facts of people, projects and things?"""

from __future__ import annotations

from typing import Final

from remem.core.fact_choices import FACT_ACTIONS, FACT_CATEGORIES, FACT_SOURCES
from remem.tools.shape import Parameter, Tool

FACT: Final = Tool(
    name="memory_fact",
    command="fact",
    title="Facts about an entity",
    purpose=(
        "Keep and look up atomic facts about a named person, project or thing, with their "
        "history. Record one statement at a time; when reality changes, supersede the old fact "
        "by its id: nothing is deleted. "
        "Returns the facts, and what to judge: contradicts (both stand until you supersede one), "
        "similar, and proposals (names that may mean one entity). Main session only."
    ),
    parameters=(
        Parameter(
            "action",
            "choice",
            "list and history look up; alias, merge and unmerge name entities",
            required=True,
            choices=FACT_ACTIONS,
        ),
        Parameter("entity", "text", "whom or what it is about, by a name or id"),
        Parameter("fact", "text", "one self-contained statement"),
        Parameter("id", "text", "the fact to supersede or look up"),
        Parameter("category", "choice", "of the fact", choices=FACT_CATEGORIES),
        Parameter("timestamp", "text", "ISO date since when it is so; today if left out"),
        Parameter(
            "source", "choice", "how it is known", default="conversation", choices=FACT_SOURCES
        ),
        Parameter("origin", "text", "where it stands, as path#L4-L5"),
        Parameter("kind", "text", "what the entity is: person, project, tool, place …"),
        Parameter("as_of", "text", "list what was so at the end of this ISO date"),
        Parameter("into", "text", "the entity that it is merged into"),
        Parameter("aliases", "texts", "further names"),
        Parameter("limit", "integer", "most facts", minimum=1),
        Parameter("trust", "choice", "of a stranger's words", choices=("untrusted",)),
    ),
    returns="remem.maintenance.knowledge.result:FactAnswer",
    run=lambda workspace, given: workspace.fact(**given),
    read_only=False,
    destructive=False,
    idempotent=True,
    profiles=("full",),
)

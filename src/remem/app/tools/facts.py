"""The tool for facts: its actions, and the parameters that each action takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.declare import Parameter, Tool
from remem.errors import InvalidInput, quoted
from remem.model.arguments import one_of
from remem.model.fact import FACT_CATEGORIES, FACT_SOURCES, STATEMENT_FIELDS

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.learn.facts.answers import FactAnswer


@dataclass(frozen=True, slots=True)
class _Action:
    """An action of the tool; the first `required` parameters in `takes` are mandatory."""

    takes: tuple[str, ...]
    required: int
    run: Callable[[Workspace, dict[str, Any]], FactAnswer]


_ACTIONS: Final[Mapping[str, _Action]] = {
    "list": _Action(
        ("entity", "as_of", "id", "limit"),
        0,
        lambda workspace, arguments: workspace.facts.active(
            id_=arguments.pop("id", None), **arguments
        ),
    ),
    "record": _Action(
        ("entity", "fact", *STATEMENT_FIELDS),
        2,
        lambda workspace, arguments: workspace.facts.record(**arguments),
    ),
    "supersede": _Action(
        ("id", "fact", "entity", *STATEMENT_FIELDS),
        2,
        lambda workspace, arguments: workspace.facts.supersede(arguments.pop("id"), **arguments),
    ),
    "history": _Action(
        ("entity", "id", "limit"),
        0,
        lambda workspace, arguments: workspace.facts.history(
            id_=arguments.pop("id", None), **arguments
        ),
    ),
    "entities": _Action((), 0, lambda workspace, _: workspace.facts.entities()),
    "alias": _Action(
        ("entity", "aliases"),
        2,
        lambda workspace, arguments: workspace.facts.add_aliases(**arguments),
    ),
    "merge": _Action(
        ("entity", "into"), 2, lambda workspace, arguments: workspace.facts.merge(**arguments)
    ),
    "unmerge": _Action(
        ("entity",), 1, lambda workspace, arguments: workspace.facts.unmerge(**arguments)
    ),
    "distinct": _Action(
        ("entity", "into"), 2, lambda workspace, arguments: workspace.facts.keep_apart(**arguments)
    ),
    "contradictions": _Action((), 0, lambda workspace, _: workspace.facts.contradictions()),
}


def run_fact(
    workspace: Workspace, values: Mapping[str, Any], *, keep_secrets: bool = False
) -> FactAnswer:
    """Run an action; a parameter that it does not take is an error.

    `keep_secrets` is set by the owner's command that records or supersedes a fact; agents cannot
    set it.
    """
    workspace.services.facts.require_main()
    name = one_of(values["action"], tuple(_ACTIONS), "action")
    action, options = _ACTIONS[name], {key: values[key] for key in values if key != "action"}
    for key in options:
        if key not in action.takes:
            takes = ", ".join(action.takes) or "nothing"
            raise InvalidInput(f"{name} does not take {quoted(key)}", hint=f"it takes: {takes}")
    for key in action.takes[: action.required]:
        if key not in options:
            raise InvalidInput(f"{name} needs {key}", hint=f"give {key} with the action")
    return action.run(workspace, options | ({"keep_secrets": True} if keep_secrets else {}))


FACT: Final = Tool(
    name="memory_fact",
    command="fact",
    title="Facts about an entity",
    purpose=(
        "Keep and look up atomic facts about a named person, project or thing, with their "
        "history. Record one statement at a time; when reality changes, supersede the old fact "
        "by its id: nothing is deleted. "
        "Returns the facts, and what to check: contradicts (both stay until you supersede one) "
        "and similar. Main session only."
    ),
    help="""Record and look up facts about people, projects and things.

ACTION says what to do; its values follow as WORDS or as options. Nothing is deleted or reworded:
a fact that is no longer true is superseded by another. Contradictions are reported and left to
you. Secrets are masked; --keep records the text as it is.""",
    examples=(
        'remem fact record "Zoë Müller" "Zoë lives in Bern." --kind person',
        'remem fact supersede zoë-müller-001 "Zoë lives in Basel."',
        'remem fact list "Zoë Müller" --as-of 2026-05-01',
        'remem fact history "Zoë Müller"',
        "remem fact entities",
        'remem fact alias "Zoë Müller" Zoe',
        'remem fact merge zoe-m "Zoë Müller"',
        "remem fact unmerge zoe-m",
        "remem fact distinct zoe-m zoe-k",
        "remem fact contradictions",
    ),
    argument="action",
    parameters=(
        Parameter(
            "action",
            "choice",
            "what to do with facts (list, record …) or entities (alias, merge …)",
            required=True,
            choices=tuple(_ACTIONS),
        ),
        Parameter("entity", "text", "who or what the fact is about: a name or id"),
        Parameter("fact", "text", "one self-contained statement"),
        Parameter("id", "text", "the fact to supersede or look up"),
        Parameter("category", "choice", "category of the fact", choices=FACT_CATEGORIES),
        Parameter("timestamp", "text", "ISO date from which it has been true; default: today"),
        Parameter(
            "source", "choice", "how it is known", default="conversation", choices=FACT_SOURCES
        ),
        Parameter("origin", "text", "where it was said, as path#L4-L5"),
        Parameter("kind", "text", "what the entity is: person, project, tool, place …"),
        Parameter("as_of", "text", "list what was true at the end of this ISO date"),
        Parameter("into", "text", "the entity to merge into, or from which it is distinct"),
        Parameter("aliases", "texts", "other names"),
        Parameter("limit", "integer", "maximum number of facts", minimum=1),
        Parameter("trust", "choice", "for a stranger's words", choices=("untrusted",)),
    ),
    returns="remem.learn.facts.answers:FactAnswer",
    run=run_fact,
    profiles=("full",),
)

"""The Python interface: what is misspelled is refused, and its help betrays nothing."""

from __future__ import annotations

import inspect
import os
import pkgutil
import pydoc
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import remem
from remem.app import facades
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import ConfigError, InvalidInput, RememError
from tests.tables import each_row

OPEN_ENDED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "store": ((), {"category": "fact", "content": "Tea is at five."}),
    "recall": (("tea",), {}),
    "spaces.store": (("ops",), {"category": "fact", "content": "Tea is at five."}),
    "spaces.recall": (("tea",), {}),
    "facts.record": (("Mara", "Mara waters the garden."), {}),
    "facts.supersede": (("mara-001", "Mara moved."), {}),
}
"""Methods that take keywords which their signature does not name, and a call that works."""


def public_methods() -> Iterator[tuple[str, Any]]:
    """Yield the methods of the workspace and those of its topics, such as `facts.record`."""
    for name, member in vars(Workspace).items():
        if name.startswith("_"):
            continue
        if not isinstance(member, property):
            yield name, member
        elif str(member.fget.__annotations__["return"]).endswith("Facade"):
            for module in pkgutil.iter_modules(facades.__path__, f"{facades.__name__}."):
                facade = vars(import_module(module.name)).get(member.fget.__annotations__["return"])
                for inner, method in inspect.getmembers(facade, inspect.isfunction):
                    if facade is not None and not inner.startswith("_"):
                        yield f"{name}.{inner}", method


def test_the_workspace_has_about_fifty_members_and_every_topic_a_few() -> None:
    topics = Counter(name.partition(".")[0] for name, _ in public_methods() if "." in name)

    assert len([name for name in vars(Workspace) if not name.startswith("_")]) <= 50
    assert len(topics) == 8
    assert max(topics.values()) <= 12


def test_every_method_that_takes_any_keyword_is_among_those_that_are_tested() -> None:
    found = {
        name
        for name, method in public_methods()
        if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(method).parameters.values())
    }

    assert found == set(OPEN_ENDED)


@pytest.mark.parametrize("method", OPEN_ENDED)
def test_an_unknown_keyword_is_refused_and_nothing_is_done(memory: Workspace, method: str) -> None:
    arguments, keywords = OPEN_ENDED[method]

    with pytest.raises(InvalidInput, match="colour") as told:
        attrgetter(method)(memory)(*arguments, **keywords, colour="red")

    assert told.value.hint
    assert list(memory.export()) == []
    assert not memory.services.facts.known().facts


def test_a_field_of_many_memories_that_is_unknown_is_refused(memory: Workspace) -> None:
    memories: list[Any] = [{"category": "fact", "content": "Tea.", "prority": "high"}]

    with pytest.raises(InvalidInput, match="did you mean priority"):
        memory.store_many(memories)

    assert list(memory.export()) == []


def test_a_mistyped_trust_is_refused(tmp_path: Path) -> None:
    trust: Any = "agnt"

    with pytest.raises(InvalidInput, match="did you mean agent"):
        open_workspace(tmp_path / "agent", trust=trust)


def test_help_prints_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_TEST_CANARY", "quetzal-7731")

    for thing in (open_workspace, Workspace, remem):
        assert "quetzal-7731" not in pydoc.render_doc(thing)


def functions() -> Iterator[Any]:
    for module in pkgutil.walk_packages(remem.__path__, "remem."):
        if module.name.endswith("__main__"):
            continue
        for _, thing in inspect.getmembers(import_module(module.name)):
            if inspect.isfunction(thing):
                yield thing
            elif inspect.isclass(thing):
                yield from (method for _, method in inspect.getmembers(thing, inspect.isfunction))


def test_no_function_has_the_environment_as_a_default() -> None:
    guilty = {
        f"{function.__module__}.{function.__qualname__}"
        for function in functions()
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        if default is os.environ
    }

    assert guilty == set()


def test_dir_shows_the_small_facade_and_everything_in_it_is_documented() -> None:
    assert set(dir(remem)) == {*remem.__all__, "__version__", "aio"}
    for name in remem.__all__:
        assert inspect.getdoc(getattr(remem, name)), name
    text = pydoc.plain(pydoc.render_doc(remem))
    first_page = text.partition("PACKAGE CONTENTS")[0]
    assert len(first_page.splitlines()) <= 24, "what a terminal shows at once"
    for name in dir(remem):
        assert name in first_page or name == "__version__", name
    assert "__eq__ = _eq" not in text


def test_a_mistyped_path_is_refused_if_nothing_may_be_created(root: Path) -> None:
    with pytest.raises(ConfigError, match="is not a remem workspace") as caught:
        open_workspace(root, create=False)
    assert "remem init" in (caught.value.hint or "")
    assert not root.exists()

    open_workspace(root).close()
    open_workspace(root, create=False).close()


PAGE = Path(__file__).parents[1] / "docs/reference/python.md"
EXAMPLES = [
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    if block.startswith("import ")
]


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_reference_run(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(example, "python.md", "exec"), {})


def test_the_reference_has_examples() -> None:
    assert len(EXAMPLES) >= 6


MISTAKES: dict[str, Callable[[Workspace], object]] = {
    "an unknown category": lambda memory: memory.store(category="rumour", content="x"),
    "an empty question": lambda memory: memory.recall(" "),
    "a file that is no memory": lambda memory: memory.get("notes.txt"),
    "a file that does not exist": lambda memory: memory.get("memory/none.md"),
    "transcripts that may not be searched": lambda memory: memory.search("x", corpus="sessions"),
    "an unknown entry": lambda memory: memory.history("mem-zzzzzzzz"),
    "a transcript that is gone": lambda memory: memory.flush_transcript("/none.jsonl"),
    "a query that is none": lambda memory: memory.graph.query("nonsense"),
}


WRONG_VALUES: list[tuple[str, Callable[[Any], object]]] = [
    ("id must be text, not None", lambda memory: memory.entry(None)),
    ("id must be text, not 5", lambda memory: memory.forget(5)),
    ("tags must be a list, not 'cats'", lambda memory: memory.recall("pets", tags="cats")),
    ("categories must be a list", lambda memory: memory.recall("pets", categories="fact")),
    ("did you mean fact", lambda memory: memory.entries(category="facts")),
    ("priority 'urgent' is unknown", lambda memory: memory.entries(priority="urgent")),
    ("a memory must be a dictionary, not 'x'", lambda memory: memory.store_many(["x"])),
    ("items must be a list of objects, not 'x'", lambda memory: memory.flush("x")),
    (
        "expires must be text, not datetime.date",
        lambda memory: memory.store(category="fact", content="x", expires=date(2030, 1, 1)),
    ),
]


@each_row(("problem", "mistake"), WRONG_VALUES)
def test_values_of_the_wrong_kind_are_named(
    memory: Workspace, problem: str, mistake: Callable[[Any], object]
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(problem)):
        mistake(memory)


@each_row(
    ("option", "value", "problem"),
    [
        ("session", None, "the session key must be text, not None"),
        ("profile", "corr", "did you mean core"),
        ("embedder", "minilm", "embedder must be a model, not 'minilm'"),
    ],
)
def test_options_of_the_wrong_kind_are_refused(
    root: Path, option: str, value: Any, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        open_workspace(root, **{option: value})


def test_an_id_is_found_in_capitals_and_with_the_signs_around_it(memory: Workspace) -> None:
    old = memory.store(category="fact", content="Tea is at five.").id

    assert memory.entry(old.upper()).id == old
    assert [version.entry.id for version in memory.history(f"^{old}")] == [old]
    memory.store(category="fact", content="Tea is at six.", supersedes=[f"[{old}]"])
    assert memory.entry(old).superseded_by
    assert memory.forget(f"`{old}`").id == old


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_are_raised_and_never_returned(memory: Workspace, mistake: str) -> None:
    with pytest.raises(RememError):
        MISTAKES[mistake](memory)

"""The folder list is the architecture: what may import what, and who may touch what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import remem

SOURCE = Path(remem.__file__).parent

LAYERS = (
    {"cli"},
    {"mcp", "web", "hosts", "bench", "demo", "selftest"},
    {"tools"},
    {"clinic"},
    {"wiring"},
    {"workspace", "stores", "embedders", "extractors", "counters"},
    {"model_server"},
    {"maintenance"},
    {"recall", "remember", "refresh", "disclosure", "audit"},
    {"notes"},
    {"ports"},
    {"core"},
    {"config"},
    {"errors"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
OUTSIDE = {"__init__", "__main__"}

CORE_MAY_IMPORT = {
    "Stemmer",  # computes, and does nothing else
    "numpy",  # likewise
    "__future__",
    "base64",
    "collections",
    "dataclasses",
    "difflib",
    "datetime",
    "enum",
    "bisect",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "math",
    "re",
    "types",
    "typing",
    "unicodedata",
    "zlib",
}
IMPURE_CALLS = {"open", "input", "print", "now", "today", "utcnow", "time", "urandom", "getenv"}


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def part_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            if node.module == "remem":
                yield from (f"remem.{alias.name}" for alias in node.names)
            else:
                yield node.module


def wrong_imports(part: str, tree: ast.Module) -> list[str]:
    """The imports of a module that do not point downwards."""
    wrong = []
    for name in imports(tree):
        pieces = name.split(".")
        if pieces[0] != "remem" or len(pieces) == 1 or pieces[1] == part:
            continue
        if pieces[1] in RANK and RANK[pieces[1]] <= RANK[part]:
            wrong.append(name)
    return wrong


def test_every_folder_has_its_place() -> None:
    parts = {part_of(path) for path, _ in modules()} - OUTSIDE

    assert parts - set(RANK) == set()


def test_imports_point_downwards() -> None:
    wrong = {
        str(path.relative_to(SOURCE)): found
        for path, tree in modules()
        if part_of(path) not in OUTSIDE and (found := wrong_imports(part_of(path), tree))
    }

    assert wrong == {}


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("core", "from remem.ports import Store"),
        ("recall", "import remem.remember.run"),
        ("notes", "from remem import wiring"),
    ],
)
def test_an_upward_import_would_be_caught(part: str, line: str) -> None:
    assert wrong_imports(part, ast.parse(line))


def test_core_never_reads_the_clock_disk_network_or_environment() -> None:
    for path, tree in modules():
        if part_of(path) != "core":
            continue
        foreign = {name.split(".")[0] for name in imports(tree)} - {"remem"} - CORE_MAY_IMPORT
        assert foreign == set(), path
        calls = {
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
        }
        assert calls & IMPURE_CALLS == set(), path


def names_used(tree: ast.Module) -> set[str]:
    return {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    }


def test_only_wiring_reads_the_environment() -> None:
    readers = {part_of(p) for p, tree in modules() if names_used(tree) & {"environ", "getenv"}}

    assert readers <= {"wiring"}


ADAPTERS = ("remem.stores", "remem.embedders", "remem.extractors")
# The clinic looks into one database file after the other, and the bench measures single parts.
NAME_ADAPTERS = {"wiring", "clinic", "bench"}


def adapters_named(tree: ast.Module) -> list[str]:
    """The concrete classes behind the ports that a module names."""
    return [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ADAPTERS)
        for alias in node.names
        if alias.name[0].isupper() and not alias.name.isupper()
    ]


def test_only_wiring_chooses_concrete_classes() -> None:
    inside = {name.removeprefix("remem.") for name in ADAPTERS}
    naming = {part_of(path) for path, tree in modules() if adapters_named(tree)}

    assert naming - inside <= NAME_ADAPTERS


def test_a_concrete_class_named_elsewhere_would_be_caught() -> None:
    assert adapters_named(ast.parse("from remem.stores.sqlite import SqliteStore"))
    assert not adapters_named(ast.parse("from remem.ports import Store"))


def test_only_stores_speak_sql() -> None:
    speakers = {
        part_of(path)
        for path, tree in modules()
        if any(name.split(".")[0] == "apsw" for name in imports(tree))
        or any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.lstrip().startswith(("SELECT ", "INSERT INTO ", "PRAGMA ", "UPDATE "))
            for node in ast.walk(tree)
        )
    }

    assert speakers <= {"stores", "bench"}


def test_no_module_holds_more_than_one_concept_could() -> None:
    long = {
        str(path.relative_to(SOURCE)): lines
        for path, _ in modules()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 350
    }

    assert long == {}


def test_every_module_says_which_question_it_answers() -> None:
    silent = [path for path, tree in modules() if not ast.get_docstring(tree)]

    assert silent == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"manager", "utils", "util", "helpers", "helper", "common", "misc", "v2", "base"}

    assert {path.stem for path, _ in modules()} & empty == set()


def test_the_public_names_can_be_imported() -> None:
    for name in remem.__all__:
        assert getattr(remem, name) is not None


LEAN = """core notes recall remember disclosure disclosure/open audit extractors embedders
    maintenance maintenance/decay maintenance/doctor maintenance/flush
    maintenance/projection""".split()


def test_the_page_of_a_folder_that_many_pass_loads_none_of_its_rooms() -> None:
    """Whoever wants one room of it would wait for all that the page names."""
    loading = {
        name: found
        for name in LEAN
        if (found := loaded_at_once(ast.parse((SOURCE / name / "__init__.py").read_text())))
    }

    assert loading == {}


def loaded_at_once(tree: ast.Module) -> list[str]:
    """What the import of a module loads of remem, unless only the type checker reads it."""
    lines = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [name for name in imports(ast.Module(lines, [])) if name.split(".")[0] == "remem"]


def test_a_page_that_names_a_room_would_be_caught() -> None:
    later = "if TYPE_CHECKING:\n    from remem.recall.run import Recall"

    assert loaded_at_once(ast.parse("from remem.recall.run import Recall"))
    assert not loaded_at_once(ast.parse(later))


def imported_directly(tree: ast.Module) -> set[str]:
    return {name.split(".")[0] for name in imports(tree)}


def test_onnxruntime_is_imported_in_one_place_which_turns_its_telemetry_off() -> None:
    importing = {
        str(path.relative_to(SOURCE))
        for path, tree in modules()
        if "onnxruntime" in imported_directly(tree)
    }

    assert importing == {"embedders/runtime.py"}

"""The layers of the package: which part may import which, and which part may touch what."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import remem
from scripts.size import over_budget
from tests.tables import each_row

SOURCE = Path(remem.__file__).parent

LAYERS = (
    {"cli"},
    {"mcp"},
    {"aio"},
    {"ops"},
    {"app"},
    {"setup"},
    {"admin"},
    {"learn", "disclose", "graph"},
    {"search"},
    {"entries"},
    {"extract", "embed", "store"},
    {"model_client"},
    {"files"},
    {"ports"},
    {"model"},
    {"text"},
    {"config"},
    {"errors", "fast_dataclass"},
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
OUTSIDE = {"__init__", "__main__"}

PURE = {"model", "text"}
PURE_MAY_IMPORT = {
    "Stemmer",  # only computes
    "numpy",  # only computes
    "__future__",
    "base64",
    "bisect",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "difflib",
    "enum",
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
READS_ITS_OWN_DATA = {"text/pattern_file.py": {"pathlib", "tomllib"}}
"""Patterns are TOML files inside the package: part of the code, and never written."""
IMPURE_CALLS = {"open", "input", "print", "now", "today", "utcnow", "time", "urandom", "getenv"}


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def part_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def dotted_name(path: Path) -> str:
    return ".".join(["remem", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(
        ".__init__"
    )


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, in functions and by `import_module` too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            if node.module == "remem":
                yield from (f"remem.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Call) and _is_import_module(node):
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
            elif isinstance(argument, ast.JoinedStr) and isinstance(
                argument.values[0], ast.Constant
            ):
                yield str(argument.values[0].value).rstrip(".")


def _is_import_module(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "import_module" and bool(call.args)


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


def test_every_part_has_its_layer() -> None:
    parts = {part_of(path) for path, _ in modules()} - OUTSIDE

    assert parts - set(RANK) == set()


def test_imports_point_downwards() -> None:
    wrong = {
        str(path.relative_to(SOURCE)): found
        for path, tree in modules()
        if part_of(path) not in OUTSIDE and (found := wrong_imports(part_of(path), tree))
    }

    assert wrong == {}


@each_row(
    ("part", "line"),
    [
        ("model", "from remem.ports import Store"),
        ("entries", "import remem.search.recall"),
        ("files", "from remem import app"),
        ("app", 'import_module("remem.cli.main")'),
        ("learn", "def later():\n    from remem.disclose.start import Start"),
    ],
)
def test_an_upward_import_would_be_caught(part: str, line: str) -> None:
    assert wrong_imports(part, ast.parse(line))


def loaded_at_once(tree: ast.Module) -> list[str]:
    """What importing a module loads of remem, without what only the type checker reads."""
    lines = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [name for name in imports(ast.Module(lines, [])) if name.split(".")[0] == "remem"]


def cycles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """The modules that import each other when they are loaded."""
    left = {name: set(targets) & set(graph) for name, targets in graph.items()}
    while free := [name for name, targets in left.items() if not targets - {name}]:
        for name in free:
            del left[name]
        for targets in left.values():
            targets.difference_update(free)
    return sorted(left)


def test_no_modules_import_each_other() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    names = {dotted_name(path) for path, _ in modules()}
    for path, tree in modules():
        name = dotted_name(path)
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remem"):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    graph[name].add(inner if inner in names else str(node.module))
        graph[name].discard(name)

    assert cycles(graph) == []


def test_a_cycle_would_be_caught() -> None:
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": []}) == ["a", "b", "c"]


def test_the_pure_parts_never_read_the_clock_disk_network_or_environment() -> None:
    for path, tree in modules():
        if part_of(path) not in PURE:
            continue
        allowed = PURE_MAY_IMPORT | READS_ITS_OWN_DATA.get(str(path.relative_to(SOURCE)), set())
        foreign = {name.split(".")[0] for name in imports(tree)} - {"remem"} - allowed
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


def test_only_the_application_reads_the_environment() -> None:
    readers = {part_of(p) for p, tree in modules() if names_used(tree) & {"environ", "getenv"}}

    assert readers <= {"app"}


ADAPTERS = ("remem.store", "remem.embed", "remem.extract")
# Operations look into one database file after the other.
NAME_ADAPTERS = {"app", "ops"}


def adapters_named(tree: ast.Module) -> list[str]:
    """The concrete classes behind the ports that a module names."""
    return [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(ADAPTERS)
        for alias in node.names
        if alias.name[0].isupper() and not alias.name.isupper()
    ]


def test_only_the_application_chooses_concrete_classes() -> None:
    inside = {name.removeprefix("remem.") for name in ADAPTERS}
    naming = {part_of(path) for path, tree in modules() if adapters_named(tree)}

    assert naming - inside <= NAME_ADAPTERS


def test_a_concrete_class_named_elsewhere_would_be_caught() -> None:
    assert adapters_named(ast.parse("from remem.store.sqlite.entries import SqliteStore"))
    assert not adapters_named(ast.parse("from remem.ports import Store"))


def test_only_the_store_contains_sql() -> None:
    with_sql = {
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

    assert with_sql <= {"store"}


FACADE = SOURCE / "app/workspace.py"
"""The public methods with their documentation, and no logic: a reader looks one of them up."""


def test_no_module_is_too_long_for_one_concept() -> None:
    long = {
        str(path.relative_to(SOURCE)): lines
        for path, _ in modules()
        if (lines := len(path.read_text(encoding="utf-8").splitlines()))
        > (600 if path == FACADE else 350)
    }

    assert long == {}


def test_no_package_is_over_its_budget() -> None:
    assert over_budget() == [], "remove code, or raise the budget with a reason"


def test_every_module_has_a_docstring() -> None:
    silent = [path for path, tree in modules() if not ast.get_docstring(tree)]

    assert silent == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"manager", "utils", "util", "helpers", "helper", "common", "misc", "v2", "base"}

    assert {path.stem for path, _ in modules()} & empty == set()


def test_the_public_names_can_be_imported() -> None:
    for name in remem.__all__:
        assert getattr(remem, name) is not None


def test_importing_a_package_loads_none_of_its_modules() -> None:
    """A caller who needs one module does not wait for the others."""
    loading = {
        str(path.relative_to(SOURCE)): found
        for path, tree in modules()
        if path.name == "__init__.py"
        and dotted_name(path) not in {"remem", "remem.cli", "remem.ports"}
        and (found := loaded_at_once(tree))
    }

    assert loading == {}


def test_a_package_that_loads_a_module_would_be_caught() -> None:
    later = "if TYPE_CHECKING:\n    from remem.search.recall import Recall"

    assert loaded_at_once(ast.parse("from remem.search.recall import Recall"))
    assert not loaded_at_once(ast.parse(later))

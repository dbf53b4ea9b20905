"""Wording in code and documents: the slips that a reader stumbles over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.tables import each_row

ROOT = next(path for path in Path(__file__).parents if (path / "pyproject.toml").exists())
SOURCE = ROOT / "src/remem"
TESTS = ROOT / "tests"
WORDS = re.compile(r"\b(?:anew|whoever|himself|belongs into)\b", re.IGNORECASE)
SOURCE_WORDS = re.compile(r"\b(?:told|anew|whoever|beside|himself)\b", re.IGNORECASE)
QUESTION = re.compile(
    r"(?:How|What|Who|Whose|Where|Which|When|Why|Does|Do|Is|Are|Has|Have|May|Can|Could|Was|Did|As)\b"
)
CLAUSE = re.compile(r"(?:What|Who|Whose|Nothing to do)\b")
RUN_TOGETHER = re.compile(r"^ *(?:Args|Returns|Raises): +\S", re.MULTILINE)
"""The first item of a list that was wrapped like a paragraph."""
OWNER_DOES = re.compile(r"only the owner (?!has\b|is\b|was\b|does\b)[a-z]+s\b[^\n]*")
PRIVATE_NAMES_ALLOWED = ("mutants/", "faults/", "limits.py", "store/sqlite/internals.py")
"""Where tests may touch private names of remem: planted defects, faults, limits made small."""
OWN_NAMES = {"self", "cls"}
NAMEDTUPLE_METHODS = {"_replace", "_asdict", "_fields", "_make"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LOOP = re.compile(r"\bfor each in\b")
NAMES = {"told", "because", "often", "whom", "whose", "such", "much", "thus", "hence"}
"""Words that do not say what a variable, parameter or field holds."""
LONG_CONSTANT = 12
SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b")


def comments_and_strings(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings and comments, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield node.body[0].lineno, docstring
    for number, line in enumerate(text.splitlines(), 1):
        if (found := re.search(r"(?:^|\s)#\s(.*)$", line)) is not None:
            yield number, found[1]


def slips(text: str) -> list[str]:
    """What a reviewer would mark in a Python file."""
    found = [
        f"{line}: {word[0]}"
        for line, prose in comments_and_strings(text)
        for word in SOURCE_WORDS.finditer(prose)
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED):
            docstring = ast.get_docstring(node) or ""
            first = docstring.split("\n\n")[0]
            if RUN_TOGETHER.search(docstring):
                found.append(f"{node.body[0].lineno}: a list that was wrapped like a paragraph")
            if QUESTION.match(first) and "?" in first:
                found.append(f"{node.body[0].lineno}: a docstring that asks")
            elif CLAUSE.match(first):
                found.append(f"{node.body[0].lineno}: a docstring that names a thing by a clause")
        elif (name := _stored_name(node)) in NAMES:
            found.append(f"{getattr(node, 'lineno', 0)}: name what {name!r} holds")
        elif isinstance(node, ast.Constant) and OWNER_DOES.fullmatch(str(node.value)):
            found.append(f"{node.lineno}: write 'only the owner can …'")
    found += [
        f"{number}: for each in"
        for number, line in enumerate(text.splitlines(), 1)
        if LOOP.search(line)
    ]
    return found


def misplaced_constants(text: str) -> list[str]:
    """Constants between functions that need nothing from above; long tables and SQL may stay."""
    body = ast.parse(text).body
    is_definition = [isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in body]
    after = body[is_definition.index(True) :] if True in is_definition else []
    local = {node.name for node in after if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    found = []
    for node in after:
        names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        stays = (
            names & local
            or (node.end_lineno or 0) - node.lineno > LONG_CONSTANT
            or any(isinstance(part, ast.Lambda) for part in ast.walk(node))
            or SQL.search(ast.unparse(node))
        )
        if isinstance(node, ast.Assign | ast.AnnAssign) and stays:
            local |= {name for name in map(_stored_name, ast.walk(node)) if name}
        elif isinstance(node, ast.AnnAssign) and "Final" in names:
            found.append(f"{node.lineno}: {ast.unparse(node.target)} belongs at the top")
    return found


def _stored_name(node: ast.AST) -> str | None:
    """The name of a variable, field or parameter where it is defined."""
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_the_source_is_written_in_plain_english() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): marked
        for path in sources()
        if (marked := slips(path.read_text(encoding="utf-8")))
    }

    assert found == {}


def test_constants_are_at_the_top_of_their_modules() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sources()
        if (names := misplaced_constants(path.read_text(encoding="utf-8")))
    }

    assert found == {}


def test_a_misplaced_constant_would_be_caught() -> None:
    text = "def read() -> None:\n    pass\n\n_MAX: Final = 3\n_READERS: Final = (read,)\n"

    assert misplaced_constants(text) == ["4: _MAX belongs at the top"]


def test_the_documents_are_written_in_plain_english() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    found = {
        path.relative_to(ROOT).as_posix(): [
            f"{number}: {word[0]}"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for word in WORDS.finditer(line)
        ]
        for path in pages
        if path.name not in {"CONTRIBUTING.md", "CHANGELOG.md"}
    }

    assert {name: marked for name, marked in found.items() if marked} == {}


@each_row(
    "text",
    [
        '"""How does it work? Well."""',
        '"""Rebuild it anew."""',
        "# whoever asks is answered\nx = 1",
        "for each in entries:\n    print(each)",
        '"""What a search needs."""',
        'print("only the owner erases memory")',
        '"""Open it.\n\nArgs: path: The folder. create: Make it.\n"""',
        "because = 1",
        "class Step:\n    often: str",
        "def report(told):\n    pass",
    ],
)
def test_a_slip_would_be_caught(text: str) -> None:
    assert slips(text)


def defined_names(text: str) -> set[str]:
    """The private names that a module of remem defines."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return {name for name in names if re.match(r"_[a-zA-Z]", name)} - NAMEDTUPLE_METHODS


def private_uses(text: str, private: set[str]) -> list[str]:
    """The lines of a test that touch one of these names of remem, or import a private one."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in private:
            if not (isinstance(node.value, ast.Name) and node.value.id in OWN_NAMES):
                found.append(f"{node.lineno}: {node.attr}")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("remem"):
            found += [f"{node.lineno}: {name.name}" for name in node.names if name.name[0] == "_"]
        elif isinstance(node, ast.Call) and _is_patch(node):
            words = [word.value for word in node.args[:2] if isinstance(word, ast.Constant)]
            found += [
                f"{node.lineno}: {word}"
                for word in words
                if isinstance(word, str) and word.rpartition(".")[2] in private
            ]
    return found


def _is_patch(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"setattr", "around"}


def test_tests_use_the_public_names_of_remem() -> None:
    private = set().union(*(defined_names(path.read_text(encoding="utf-8")) for path in sources()))
    tests = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    found = {
        name: uses
        for name, path in sorted(tests.items())
        if not name.startswith(PRIVATE_NAMES_ALLOWED)
        and (uses := private_uses(path.read_text(encoding="utf-8"), private))
    }

    assert found == {}


@each_row(
    "text",
    [
        "from remem.store import _queue",
        "print(store._queue)",
        'monkeypatch.setattr(store, "_queue", [])',
        'monkeypatch.setattr("remem.store._queue", [])',
    ],
)
def test_a_private_name_would_be_caught(text: str) -> None:
    assert private_uses(text, {"_queue"})


def test_loops_in_tests_name_what_they_go_through() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}"
        for path in TESTS.rglob("*.py")
        if path.name != "test_style.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if LOOP.search(line)
    ]

    assert found == []


def methods(text: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            yield from (method for method in node.body if isinstance(method, ast.FunctionDef))


def called_names(method: ast.FunctionDef, *owners: str) -> set[str]:
    """The names of the methods that a method calls on itself or on one of its attributes."""
    calls = [node.func for node in ast.walk(method) if isinstance(node, ast.Call)]
    return {
        call.attr
        for call in calls
        if isinstance(call, ast.Attribute) and (not owners or ast.unparse(call.value) in owners)
    }


def owner_methods(text: str) -> tuple[set[str], set[str]]:
    """The methods of a service that only the owner may call, and all others."""
    calls = {method.name: called_names(method, "self", "self.context") for method in methods(text)}
    restricted = {"require_owner"}
    while more := {name for name, called in calls.items() if called & restricted} - restricted:
        restricted |= more
    return restricted - {"require_owner"}, set(calls) - restricted


def undocumented_owner_methods(text: str, restricted: set[str]) -> list[str]:
    """The methods of a façade that call a restricted one without saying so."""
    return [
        method.name
        for method in methods(text)
        if called_names(method) & restricted
        and "Owner only." not in (ast.get_docstring(method) or "")
    ]


def test_methods_of_the_library_say_if_only_the_owner_may_call_them() -> None:
    services = [owner_methods(path.read_text()) for path in (SOURCE / "app/services").glob("*.py")]
    others = set().union(*(names for _, names in services))
    restricted = set().union(*(names for names, _ in services)) - others
    facades = [*(SOURCE / "app/facades").glob("*.py"), SOURCE / "app/workspace.py"]
    found = {
        path.name: names
        for path in facades
        if (names := undocumented_owner_methods(path.read_text(encoding="utf-8"), restricted))
    }

    assert len(restricted) > 20
    assert found == {}


def test_a_method_that_hides_its_restriction_would_be_caught() -> None:
    service = "class S:\n    def _check(self):\n        self.context.require_owner('x')\n"
    service += "    def erase(self):\n        self._check()\n    def read(self):\n        pass\n"
    facade = 'class F:\n    def erase(self):\n        """Erase."""\n        self.s.erase()\n'

    restricted, others = owner_methods(service)

    assert (restricted, others) == ({"_check", "erase"}, {"read"})
    assert undocumented_owner_methods(facade, restricted) == ["erase"]

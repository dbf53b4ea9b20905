"""The sets of hostile strings, read as bytes and counted.

The sets lie outside the repository, in the folder that REMEM_CORPORA names. They are attack
data, written by others to break programs: nothing here is executed but one list of scenarios.
A set that silently fails to load would prove nothing, so each has to have its known size.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

SIZES = {
    "blns": 515,
    "fuzzdb paths": 536,
    "fuzzdb xss": 347,
    "fuzzdb unicode": 411,
    "fuzzdb sql": 243,
    "fuzzdb other": 254,
    "traversal": 23_058,
    "crlf": 17,
    "json": 340,
    "dompurify": 223,
    "owasp scenarios": 21,
    "owasp cases": 62,
    "agentdojo vectors": 39,
    "agentdojo goals": 54,
}
_FUZZDB = {
    "path-traversal": "paths",
    "xss": "xss",
    "unicode": "unicode",
    "control-chars": "unicode",
    "sql-injection": "sql",
}


@dataclass(frozen=True, slots=True)
class Corpora:
    """Every set by its name, as the bytes that were written."""

    folder: Path
    sets: dict[str, list[bytes]]

    def texts(self, *names: str) -> list[str]:
        """Each string once; bytes that are not UTF-8 are read as Latin-1, as browsers do."""
        found = [data for name in names or self.sets for data in self.sets[name]]
        return list(dict.fromkeys(map(decoded, found)))


def decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def corpora_folder() -> Path:
    """The folder, or a skip that says what is missing."""
    given = os.environ.get("REMEM_CORPORA")
    if not given:
        pytest.skip("REMEM_CORPORA does not name the folder of the hostile strings")
    folder = Path(given)
    if not folder.is_dir():
        pytest.fail(f"REMEM_CORPORA names {given}, which is not a folder")
    return folder


def load(folder: Path) -> Corpora:
    sets = {
        "blns": [text.encode() for text in json.loads((folder / "blns/blns.json").read_bytes())],
        **_fuzzdb(folder / "fuzzdb/attack"),
        "traversal": _lines(*(_payloads(folder) / "Directory Traversal/Intruder").iterdir()),
        "crlf": _lines(_payloads(folder) / "CRLF Injection/Files/crlfinjection.txt"),
        "json": [file.read_bytes() for file in _files(folder / "jsontestsuite", "*.json")],
        "dompurify": _dompurify(folder / "dompurify/test/fixtures/expect.mjs"),
        "owasp scenarios": _owasp_scenarios(folder / "owasp_amg/bench/scenarios.py"),
        "owasp cases": _owasp_cases(folder / "owasp_amg/security_benchmark.py"),
        "agentdojo vectors": _vectors(folder / "agentdojo/data/suites"),
        "agentdojo goals": _goals(folder / "agentdojo/default_suites"),
    }
    assert {name: len(strings) for name, strings in sets.items()} == SIZES
    return Corpora(folder, sets)


def owasp_module(path: Path) -> ModuleType:
    """The published scenarios themselves: a list of values, without a side effect."""
    spec = importlib.util.spec_from_file_location("owasp_scenarios", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _payloads(folder: Path) -> Path:
    return folder / "payloadsallthethings"


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


def _lines(*paths: Path) -> list[bytes]:
    lines = [line for path in sorted(paths) for line in path.read_bytes().split(b"\n")]
    return [line.removesuffix(b"\r") for line in lines if line.strip(b"\r")]


def _fuzzdb(folder: Path) -> dict[str, list[bytes]]:
    sets: dict[str, list[bytes]] = {name: [] for name in SIZES if name.startswith("fuzzdb")}
    for path in _files(folder, "*.txt"):
        kind = _FUZZDB.get(path.relative_to(folder).parts[0], "other")
        sets[f"fuzzdb {kind}"] += _lines(path)
    return sets


def _dompurify(path: Path) -> list[bytes]:
    text = path.read_text(encoding="utf-8")
    decode: Callable[..., tuple[str, int]] = json.JSONDecoder(strict=False).raw_decode
    found = re.finditer(r'"payload":\s*(?=")', text)
    return [decode(text, match.end())[0].encode("utf-8", "surrogatepass") for match in found]


def _owasp_scenarios(path: Path) -> list[bytes]:
    scenarios = owasp_module(path).default_corpus()
    return ["\n".join(step.value for step in scenario.steps).encode() for scenario in scenarios]


def _owasp_cases(path: Path) -> list[bytes]:
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "TestCase"
    ]
    return [_constant(call.args[3]).encode() for call in calls]


def _vectors(folder: Path) -> list[bytes]:
    texts = [file.read_bytes() for file in _files(folder, "injection_vectors.yaml")]
    blocks = [block for text in texts for block in re.split(rb"(?m)^(?=\w+:)", text)]
    return [block for block in blocks if re.match(rb"\w+:", block)]


def _goals(folder: Path) -> list[bytes]:
    found = []
    for path in _files(folder, "injection_tasks.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GOAL":
                found.append(_constant(node.value).encode())
    return found


def _constant(node: ast.expr) -> str:
    """The text of a literal; of anything that would have to be computed, its source."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)
    return value if isinstance(value, str) else json.dumps(value)

"""Run the first minutes of new users as scripts, each in an empty home folder.

python scripts/first_minutes.py command-line openclaw python   with the remem of this environment
python scripts/first_minutes.py pipx uv                        installs a wheel of this clone first

A script in examples/first_minutes is a list of commands. `# expect: TEXT` after a command says what
its output contains.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "examples" / "first_minutes"
INSTALLERS: Final = ("pipx", "uv")


@dataclass(frozen=True, slots=True)
class Step:
    """A command, and what its output must contain."""

    command: str
    expected: tuple[str, ...]


class PathFailed(Exception):
    """A command failed, or did not print what its script expects."""


def steps_of(name: str) -> list[Step]:
    steps: list[Step] = []
    for line in (FOLDER / f"{name}.sh").read_text(encoding="utf-8").splitlines():
        if line.startswith("# expect: "):
            last = steps.pop()
            steps.append(Step(last.command, (*last.expected, line.removeprefix("# expect: "))))
        elif line and not line.startswith("#"):
            steps.append(Step(line, ()))
    return steps


def walk(name: str, home: Path, environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Run a script; yield each command and its output."""
    _prepare(name, home)
    folder = home
    for step in steps_of(name):
        if step.command.startswith("cd "):
            folder = Path(step.command.removeprefix("cd ").replace("~", str(home)))
            yield step.command, ""
            continue
        done = subprocess.run(  # noqa: S603 - our own scripts
            ["/bin/sh", "-c", step.command],
            cwd=folder,
            env={**environment, "HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        missing = [text for text in step.expected if text not in done.stdout]
        if done.returncode or missing:
            raise PathFailed(
                f"{name}: {step.command}: status {done.returncode}, missing {missing}\n"
                f"{done.stdout}"
            )
        yield step.command, done.stdout


def _prepare(name: str, home: Path) -> None:
    """Give the home folder what this user has already."""
    if name == "python":
        shutil.copy(FOLDER / "agent.py", home)
    if name == "openclaw":
        shutil.copytree(FOLDER / "openclaw-home", home / ".openclaw")


def environment_of(programs: Path, models: str | None = None) -> dict[str, str]:
    """This process's environment without what belongs to a user's memory or hosts.

    `models` is a folder in which the model is already; otherwise it is downloaded.
    """
    own = ("REMEM_", "OPENCLAW_", "CLAUDE_", "CODEX_", "XDG_", "PIPX_", "VIRTUAL_ENV", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    if models:
        kept["REMEM_MODELS"] = models
    return {**kept, "PATH": f"{programs}:/usr/bin:/bin"}


def installing(name: str, folder: Path, home: Path) -> dict[str, str]:
    """An environment with pipx or uv, in which `remem` is a wheel of this clone."""
    wheels, tools = folder / "wheels", folder / "tools"
    venv.create(tools, with_pip=True)
    pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, name, "build", "hatchling"], check=True)  # noqa: S603 - no user input
    build = [str(tools / "bin" / "python"), "-m", "build", "--no-isolation", "--wheel"]
    subprocess.run(  # noqa: S603 - no user input
        [*build, "--outdir", str(wheels), str(ROOT)], check=True, stdout=subprocess.DEVNULL
    )
    environment = environment_of(tools / "bin")
    links = " ".join([str(wheels), environment.get("PIP_FIND_LINKS", "")]).strip()
    return {
        **environment,
        "PATH": f"{home}/.local/bin:{environment['PATH']}",
        "PIP_FIND_LINKS": links,
        "UV_FIND_LINKS": str(wheels),
        "UV_PYTHON": sys.executable,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=[path.stem for path in FOLDER.glob("*.sh")])
    for name in parser.parse_args().names:
        with TemporaryDirectory(prefix="remem-first-") as folder:
            home = Path(folder) / "home"
            home.mkdir()
            if name in INSTALLERS:
                environment = installing(name, Path(folder), home)
            else:
                models = os.environ.get("REMEM_MODELS")
                environment = environment_of(Path(sys.executable).parent, models)
            started = time.monotonic()
            count = 0
            for command, output in walk(name, home, environment):
                count += 1
                print(f"$ {command}\n{output}", end="", flush=True)
            seconds = time.monotonic() - started
            print(f"{name}: {count} commands, {seconds:.0f} s\n", flush=True)


if __name__ == "__main__":
    main()

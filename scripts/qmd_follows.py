"""Test that a real QMD finds what remem has just written to brain/areas.

    python scripts/qmd_follows.py QMD_PROGRAM

Run by `make hosts`. QMD downloads the model for its vectors. Where it cannot, its keyword search
must still find the new words, and remem must report what is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FACT = "Keeps a heron in the bathtub."


def main(qmd: str) -> None:
    with tempfile.TemporaryDirectory(prefix="remem-qmd-") as folder:
        home, workspace = Path(folder, "home"), Path(folder, "workspace")
        home.mkdir()
        workspace.mkdir()
        state = home / "claw"
        host = {**os.environ, "HOME": str(home), "OPENCLAW_STATE_DIR": str(state)}
        own = {
            **host,
            "XDG_CONFIG_HOME": f"{state}/agents/main/qmd/xdg-config",
            "XDG_CACHE_HOME": f"{state}/agents/main/qmd/xdg-cache",
        }
        remem = [sys.executable, "-m", "remem", "--workspace", str(workspace)]
        run([*remem, "init"], host)
        settings = workspace / ".remem/config.toml"
        settings.write_text(f'embedder = "none"\nqmd = "{qmd}"\n', encoding="utf-8")
        areas = workspace / "brain/areas"
        areas.mkdir(parents=True)
        run([qmd, "collection", "add", str(areas), "--name", "areas", "--mask", "**/*.md"], own)

        answer([*remem, "fact", "record", "Anna Berg", FACT, "--json"], host)
        done = answer([*remem, "synthesize", "--json"], host)
        found = run([qmd, "search", "heron", "--format", "json"], own)

        assert any(page["path"].endswith("summary.md") for page in done["pages"]), done
        assert "summary.md" in found, found
        print("ok  qmd finds what remem has just written")
        problem = done["qmd"].get("problem")
        degraded = answer([*remem, "status", "--json"], host)["health"]["degraded"]
        assert bool(problem) == any("qmd" in reason for reason in degraded), degraded
        print(f"ok  its vectors: {problem or 'made'}")


def answer(line: list[str], environment: dict[str, str]) -> Any:
    return json.loads(run(line, environment))


def run(line: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - remem and qmd
        line, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, (line, done.stdout, done.stderr)
    return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("qmd", metavar="QMD_PROGRAM", help="path of the qmd program")
    main(parser.parse_args().qmd)

"""How fast is it here? Figures against the bare parts, measured in the same run."""

from __future__ import annotations

import click

from remem.cli.bench_decay import decay
from remem.cli.bench_languages import languages
from remem.cli.bench_quality import retrieval, tokens
from remem.cli.bench_speed import speed


@click.group()
def bench() -> None:
    """Measure remem on this machine."""


bench.add_command(speed)
bench.add_command(retrieval)
bench.add_command(tokens)
bench.add_command(decay)
bench.add_command(languages)

COMMANDS = {"bench": bench}

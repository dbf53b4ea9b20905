"""In which languages does remem find what was said? A table on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remem.recall.answer import answer_text

if TYPE_CHECKING:
    from remem.bench.languages import LanguageRun


@click.command()
@click.option(
    "--language",
    "languages",
    metavar="NAME",
    multiple=True,
    help="Only this one, such as de or zh; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def languages(languages: tuple[str, ...], as_json: bool) -> None:
    """Ask small memories in several languages, with and without stems and models.

    `forms` asks in other forms of the same words, `words` in other words. Each figure is the share
    of questions whose memory came first / among the first three. It uses the models that are on
    this machine.

    \b
    remem bench languages --language de --language zh
    """
    from remem.bench.languages import LanguageRuns, measure, samples, settings  # it is large
    from remem.config import Config
    from remem.errors import InvalidInput, shown
    from remem.wiring import choose_embedders

    for each in languages:
        if each not in samples():
            raise InvalidInput(
                f"there is no sample for {shown(each)}", hint=f"there are {', '.join(samples())}"
            )
    models = {each.identity.name: each for each in choose_embedders(Config())[0]}
    runs = tuple(
        measure(each, languages=languages, progress=lambda line: click.echo(line, err=True))
        for each in settings(models)
    )
    if as_json:
        click.echo(answer_text(LanguageRuns(runs)))
        return
    for line in table(runs):
        click.echo(line)


def table(runs: Sequence[LanguageRun]) -> list[str]:
    """One row for each language and way of asking, one column for each setting."""
    lines = ["| language | asked in | n | " + " | ".join(run.setting for run in runs) + " |"]
    lines.append("|---|---|---|" + "---|" * len(runs))
    for language, ways in runs[0].rates.items():
        for way, rates in ways.items():
            cells = [run.rates[language][way] for run in runs]
            shares = " | ".join(f"{each.first:.0f} / {each.among_three:.0f}" for each in cells)
            lines.append(f"| {language} | other {way} | {rates.questions} | {shares} |")
    return lines

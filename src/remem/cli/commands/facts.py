"""How does a person see facts? Each with its id and day, then what is for him to decide."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from remem.cli.wording import counted
from remem.maintenance.knowledge.result import Described, FactAnswer, Stated


def show_facts(out: Console, answer: FactAnswer) -> None:
    if answer.entity:
        _entity(out, answer.entity)
    for entity in answer.entities or ():
        _entity(out, entity)
    for fact in answer.facts or ():
        _fact(out, fact)
    _done(out, answer)
    _to_decide(out, answer)
    if answer.left_out:
        out.print(Text(f"{answer.left_out} earlier ones are left out; --limit shows more", "dim"))
    for note in answer.notes:
        out.print(Text(f"note: {_visible(note)}", "yellow"))


def _done(out: Console, answer: FactAnswer) -> None:
    if answer.waiting:
        out.print(f"kept for review as {answer.waiting}")
    elif answer.known:
        out.print("known already")
    if answer.superseded:
        old = answer.superseded
        out.print(_visible(f"supersedes {old.id}: {old.fact}"))
    if answer.redacted:
        out.print(f"redacted: {', '.join(answer.redacted)}")
    found = (answer.facts, answer.entities, answer.entity, answer.proposals, answer.contradicts)
    if not any(found) and not answer.waiting:
        out.print("nothing found")


def _to_decide(out: Console, answer: FactAnswer) -> None:
    for each in answer.contradicts or ():
        who = f"{each.by.id} " if each.by else ""
        out.print(Text(_visible(f"{who}contradicts {each.fact.id}: {each.fact.fact}"), "yellow"))
        out.print(Text(_visible(f"    {each.rule}; {each.why}"), "dim"))
        by = each.by or next(iter(answer.facts or ()), None)
        if each.supersede and by:
            new = by.fact
            out.print(_visible(f"    to replace it: remem fact supersede {each.fact.id} {new!r}"))
    for fact in answer.similar or ():
        out.print(Text(_visible(f"similar to {fact.id}: {fact.fact}"), "dim"))
    for pair in answer.proposals or ():
        out.print(_visible(f"{pair.entity} may be {pair.other}: {pair.why}"))


def _entity(out: Console, entity: Described) -> None:
    kind = f" ({entity.kind})" if entity.kind else ""
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    merged = f", with {', '.join(entity.merged)}" if entity.merged else ""
    out.print(Text(_visible(f"{entity.name}{kind}{also}{merged}"), "bold"))
    told = [counted(entity.active, "active fact"), f"{entity.superseded} superseded", entity.id]
    out.print(Text(_visible(f"    {', '.join(told)}"), "dim"))


def _fact(out: Console, fact: Stated) -> None:
    ended = f" → {fact.superseded_by}" if fact.superseded_by else ""
    head = f"{fact.id}  {fact.timestamp[:10]}  {fact.category}  {fact.status}{ended}"
    out.print(Text(_visible(head), "dim" if ended else "bold"))
    out.print(Text("\n".join(f"    {line}" for line in _visible(fact.fact).split("\n"))))


def _visible(text: str) -> str:
    from remem.cli.screen import visible  # which shows this too

    return visible(text)

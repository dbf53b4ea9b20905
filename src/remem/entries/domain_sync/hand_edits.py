"""Store hand edits to domain files as new versions, new entries or archived entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from remem.entries.draft import Memory, make_draft
from remem.entries.lifecycle import archive, revise
from remem.entries.notices import add_notice
from remem.entries.store import StoreOperation, store_operation
from remem.errors import InvalidInput
from remem.fast_dataclass import dataclass
from remem.files.domain_file.format import item_digest
from remem.files.domain_file.merge import AddedBullet, ChangedBullet, HandEdit, RemovedBullet
from remem.files.domain_file.metadata import Meta, category_of_file, meta_of
from remem.model.domain_routing import UNTRUSTED, domain_stem
from remem.model.entry import PATH_SEPARATOR, Entry, Origin
from remem.ports import StoreDependencies
from remem.ports.entries import Store, Transaction
from remem.text.timestamps import normalize_end_time


@dataclass(frozen=True, slots=True)
class EditContext:
    """The file of an edit, and what is needed to store the edit.

    `stem` identifies the domain file; a copy of a domain file has the stem of the original.
    """

    store: Store
    deps: StoreDependencies
    stem: str
    file: str
    now: str


def store_edit(edit: HandEdit, ctx: EditContext, base: Mapping[str, str]) -> str | None:
    """Store an edit; return the id of the entry that the edit was applied to.

    `base` is the version that the person edited, as digests of its items by id. An edit that cannot
    be stored is reported in a notice and stays in the file; then the result is None.
    """
    if not _is_domain_file(ctx):
        _add_notice_about_file(ctx)
    try:
        edit = _as_addition_if_needed(edit, ctx, base)
        match edit:
            case ChangedBullet():
                return ctx.store.write(lambda tx: _change(tx, edit, ctx))
            case AddedBullet():
                return ctx.store.write(_add_operation(edit, ctx)).id
            case RemovedBullet():
                return ctx.store.write(lambda tx: _remove(tx, edit, ctx))
    except InvalidInput as error:
        text = f"{ctx.file}: an edit was not stored: {error}"
        ctx.store.write(lambda tx: add_notice(tx, ctx.now, text))
        return None


def _as_addition_if_needed(edit: HandEdit, ctx: EditContext, base: Mapping[str, str]) -> HandEdit:
    """Treat a changed bullet as a new one if its entry cannot be changed.

    It cannot be changed if its id is unknown, or if the entry was superseded or reworded since the
    person read it; then both wordings are kept. A copy of an untrusted entry stays untrusted.
    """
    if isinstance(edit, RemovedBullet) or (isinstance(edit, AddedBullet) and edit.copy_of is None):
        return edit
    id_ = edit.id if isinstance(edit, ChangedBullet) else edit.copy_of or ""
    with ctx.store.read() as snapshot:
        entry = snapshot.find([id_]).get(id_)
        history = snapshot.history(id_) if entry else []
    meta = edit.meta or Meta()
    if entry is not None and entry.trust == UNTRUSTED:
        meta = replace(meta, trust=UNTRUSTED)
    addition = AddedBullet(edit.content, meta, edit.digest)
    if isinstance(edit, AddedBullet):
        return replace(addition, fenced=edit.fenced)
    if entry is None or entry.superseded_by is not None:
        return addition
    versions_seen = [
        version.version
        for version in history
        if item_digest(version.entry, ctx.stem) == base.get(edit.id)
    ]
    if not versions_seen or versions_seen[-1] == entry.version:
        return edit
    text = f"{ctx.file}: {edit.id} was reworded here and elsewhere; both wordings are kept"
    ctx.store.write(lambda tx: add_notice(tx, ctx.now, text))
    return addition


def _change(tx: Transaction, edit: ChangedBullet, ctx: EditContext) -> str:
    old = tx.find([edit.id]).get(edit.id)
    if old is None:
        raise InvalidInput(f"{edit.id} was erased meanwhile")
    new = _edited(old, edit, ctx)
    if new != old:
        change = f"edited by hand in {ctx.file}"
        revise(tx, new, change, now=ctx.now, topics=ctx.deps.topics)
    return edit.id


def _edited(entry: Entry, edit: ChangedBullet, ctx: EditContext) -> Entry:
    """Return the entry as it is in the file; a hand edit does not change its trust.

    An archived entry becomes active again if its bullet was put back or moved to another file. If a
    bullet was moved without its metadata, its entry keeps them and gets the new file's category.
    """
    meta = edit.meta or meta_of(entry, ctx.stem)
    has_moved = ctx.stem != domain_stem(entry, ctx.deps.topics)
    category = None if has_moved and edit.meta is None else meta.category
    memory = Memory(
        category=category or category_of_file(ctx.stem) or entry.category,
        content=edit.content,
        context=meta.context,
        priority=meta.priority,
        tags=_with_topic(meta.tags, ctx) if has_moved else meta.tags,
    )
    # If the owner left a secret unmasked in this entry, editing another word must not mask it.
    draft = make_draft(
        memory, "owner", ctx.now, keep_if_in=f"{entry.content}\n{entry.context or ''}"
    )
    if entry.trust == UNTRUSTED:
        draft = replace(draft, category=entry.category, priority=entry.priority)
    return replace(
        entry,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        expires_at=normalize_end_time(meta.expires, "expires") if meta.expires else None,
        archived=False,
        archive_reason=None,
        token_estimate=ctx.deps.counter.count(draft.content),
    )


def _add_operation(edit: AddedBullet, ctx: EditContext) -> StoreOperation:
    """Return the operation that stores a new bullet with the agent's trust.

    It is stored as untrusted if the bullet says so or is in the untrusted file. If the file is one
    that a person began, its entries belong in other files, where they keep their headings.
    """
    meta = edit.meta or Meta()
    context = meta.context
    if context is None and edit.headings and not _is_domain_file(ctx):
        context = PATH_SEPARATOR.join([ctx.file, *edit.headings])
    memory = Memory(
        category=meta.category or category_of_file(ctx.stem) or "fact",
        content=edit.content,
        context=context,
        priority=meta.priority,
        tags=_with_topic(meta.tags, ctx),
        expires=meta.expires,
        trust=UNTRUSTED if edit.fenced or UNTRUSTED in (ctx.stem, meta.trust) else None,
        source="file",
        origin=Origin(ctx.file),
    )
    return store_operation(make_draft(memory, "agent", ctx.now), ctx.now, ctx.deps)


def _remove(tx: Transaction, edit: RemovedBullet, ctx: EditContext) -> str:
    old = tx.find([edit.id]).get(edit.id)
    if old is not None and not old.archived:  # it may have been erased
        add_notice(tx, ctx.now, f"{edit.id} was archived: its bullet was removed from {ctx.file}")
        archive(tx, old, ctx.now, f"removed by hand from {ctx.file}", ctx.deps.topics)
    return edit.id


def _is_domain_file(ctx: EditContext) -> bool:
    return category_of_file(ctx.stem) is not None or ctx.stem in (UNTRUSTED, *ctx.deps.topics)


def _add_notice_about_file(ctx: EditContext) -> None:
    text = (
        f"{ctx.file}: its bullets are in the files of their categories now; to keep them here, "
        f'add "{ctx.stem}" to topics in .remem/config.toml and move them back'
    )
    ctx.store.write(lambda tx: add_notice(tx, ctx.now, text))


def _with_topic(tags: tuple[str, ...], ctx: EditContext) -> tuple[str, ...]:
    """Return the tags, with the topic in front if the file is that of a topic."""
    return (ctx.stem, *tags) if ctx.stem in ctx.deps.topics else tags

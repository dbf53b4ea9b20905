"""How is the index file written? It is remem's own: a hand-made change to it is set aside."""

from __future__ import annotations

from remem.core.homes import INDEX_MARK
from remem.disclosure.index import make_index
from remem.errors import FileError
from remem.maintenance.projection.books import Books
from remem.maintenance.projection.scope_files import ScopeFiles
from remem.notes import files
from remem.ports import TokenCounter


def write_index(into: ScopeFiles, books: Books, counter: TokenCounter, tokens: int) -> None:
    """Only main has one; elsewhere nothing is due."""
    if into.scope.kind != "main":
        _, upto = books.known(INDEX_MARK, None)
        books.written(INDEX_MARK, upto, b"", {})
        return
    path = into.layout.index_file
    now = files.read(path)
    known, upto = books.known(INDEX_MARK, now)
    with into.store.read() as snapshot:
        text = make_index(snapshot, counter, tokens).text.encode()
    if now is not None and now != text and files.digest(now) != known.digest:
        copy = files.unused(into.layout.conflicts(into.scope), path.name)
        files.create(copy, now)
        into.announce(f"INDEX.md is made anew; your changes to it are in {into.name(copy)}")
    if now != text:
        books.intend(INDEX_MARK, text, {})
        if into.write(path, text, now)[0] != "swapped":
            raise FileError(f"{path} was changed while it was written", hint="try again")
    books.written(INDEX_MARK, upto, text, {})

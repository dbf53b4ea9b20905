"""Ways to break remem on purpose, so that each checker is seen to fail.

A mutant is a name and a function that spoils the running process. Only the programs of the
fault tests take such a name; the package itself knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.mutants import database, files, flush, layers, walls

MUTANTS: dict[str, Callable[[], None]] = {
    "M1-normal": database.synchronous_normal,
    "M1-off": database.synchronous_off,
    "M2": files.no_folder_fsync,
    "M3": files.no_file_fsync,
    "M4": layers.append_without_a_lock,
    "in-place": layers.write_in_place,
    "M7": database.acknowledge_before_commit,
    "M8": files.no_replay,
    "M9-pragma": database.swallow_pragma_errors,
    "M9-commit": database.swallow_commit_errors,
    "M10": walls.one_full_text_table,
    "M11": walls.a_total_over_all_scopes,
    "M12": walls.one_sequence_of_ids,
    "M13": walls.nearest_first_then_scope,
    "flush-no-marks": flush.without_marks,
    "flush-no-intent": flush.without_intents,
    "flush-no-lock": flush.without_a_lock,
}


def apply(name: str) -> None:
    MUTANTS[name]()

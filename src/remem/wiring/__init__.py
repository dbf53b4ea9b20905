"""Which parts make a memory? Concrete classes are chosen, and the environment is read, here alone.

`opening` puts a memory together, `models` chooses what encodes, `places` knows where things
lie, `owner` opens every scope in turn.
"""

from remem.wiring.models import MINILM, MULTILINGUAL, choose_embedders, standby_embedders
from remem.wiring.opening import open_workspace, system_clock
from remem.wiring.owner import owner_session, owner_sessions
from remem.wiring.places import find_workspace, host_folders, models_folder, transcripts_for

__all__ = [
    "MINILM",
    "MULTILINGUAL",
    "choose_embedders",
    "find_workspace",
    "host_folders",
    "models_folder",
    "open_workspace",
    "owner_session",
    "owner_sessions",
    "standby_embedders",
    "system_clock",
    "transcripts_for",
]

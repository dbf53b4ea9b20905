"""Count the false alarms of `remem graduate` on the generated samples.

    python scripts/graduation_samples.py

Their notes say everything once, so every proposal is a false alarm.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from remem.app.opening import open_workspace

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.samples import workspaces

KINDS = ("grown", "chinese", "japanese", "russian", "mixed", "thirty_agents")
SEEDS = (1, 2, 3)
NOTES = 200


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    statements = wrong = 0
    for kind in KINDS:
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder, "workspace")
                options = {} if kind == "thirty_agents" else {"note_count": NOTES}
                getattr(workspaces, kind)(root, seed=seed, **options)
                (root / ".remem").mkdir(exist_ok=True)
                (root / ".remem/config.toml").write_text('embedder = "none"\n')
                with open_workspace(root, background=False) as memory:
                    found = memory.graduation.propose()
            statements += found.looked_at
            wrong += len(found.proposals)
            print(f"{kind:14} {seed}  {len(found.proposals):3} of {found.looked_at:5} statements")
            for proposal in found.proposals:
                print(f"    {proposal.text[:80]}  ({'; '.join(proposal.reasons)})")
    print(f"{wrong} proposals among {statements:,} statements")


if __name__ == "__main__":
    main()

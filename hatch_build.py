"""Gives packages the addresses of the project, and the README with links that work on an index.

`REMEM_URL=https://… make package` names the public address of the repository. Without it, a package
has no addresses, and the links of the README to other files, which an index does not have, are
plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


class AddressHook(MetadataHookInterface):
    """Sets the fields `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = os.environ.get("REMEM_URL", "").rstrip("/")
        files = f"{home}/tree/main"
        metadata["urls"] = (
            {
                "Homepage": home,
                "Source": files,
                "Documentation": f"{files}/docs/tutorial.md",
                "Changelog": f"{files}/CHANGELOG.md",
            }
            if home
            else {}
        )
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": _LINK.sub(rf"[\1]({files}/\2)" if home else r"\1", text),
        }

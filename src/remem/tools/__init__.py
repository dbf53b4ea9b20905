"""What can a host ask of a memory? Every tool, declared once; each surface is made from this.

The texts are read by a model at the start of every conversation, so each word has its price.
"""

from remem.tools.arguments import arguments, call, input_schema
from remem.tools.audit import AUDIT, tool_texts
from remem.tools.care import STATUS
from remem.tools.entries import RECALL, STORE
from remem.tools.facts import FACT
from remem.tools.files import GET, SEARCH
from remem.tools.flush import FLUSH
from remem.tools.learning import CONSOLIDATE
from remem.tools.opening import OPEN
from remem.tools.shape import PROFILES, Parameter, Tool
from remem.tools.table import TOOLS, tool_named, tools_of

__all__ = [
    "AUDIT",
    "CONSOLIDATE",
    "FACT",
    "FLUSH",
    "GET",
    "OPEN",
    "PROFILES",
    "RECALL",
    "SEARCH",
    "STATUS",
    "STORE",
    "TOOLS",
    "Parameter",
    "Tool",
    "arguments",
    "call",
    "input_schema",
    "tool_named",
    "tool_texts",
    "tools_of",
]

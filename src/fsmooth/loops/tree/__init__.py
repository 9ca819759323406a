"""Loops: expressions over scalars, statements, functions (design §3, "Loops").

Memory is named buffers of scalars, addressed by one index; views with strides exist only in `lower.destination`.
Names are C identifiers and unique within a function, but for loop indices, which sibling loops may share.
"""

from fsmooth.loops.tree.expressions import (
    Conditional,
    Expression,
    Extremum,
    Literal,
    Load,
    Name,
    Operation,
    Search,
)
from fsmooth.loops.tree.functions import (
    Function,
    Parameter,
    Program,
)
from fsmooth.loops.tree.statements import (
    Allocate,
    Assign,
    Block,
    BlockOutput,
    BlockRows,
    Break,
    Check,
    CheckAll,
    Choose,
    Copy,
    Declare,
    Demand,
    Fill,
    For,
    If,
    Kind,
    LocalArray,
    Scope,
    Statement,
    Store,
    Swap,
)

__all__ = [
    "Allocate",
    "Assign",
    "Block",
    "BlockOutput",
    "BlockRows",
    "Break",
    "Check",
    "CheckAll",
    "Choose",
    "Conditional",
    "Copy",
    "Declare",
    "Demand",
    "Expression",
    "Extremum",
    "Fill",
    "For",
    "Function",
    "If",
    "Kind",
    "Literal",
    "Load",
    "LocalArray",
    "Name",
    "Operation",
    "Parameter",
    "Program",
    "Scope",
    "Search",
    "Statement",
    "Store",
    "Swap",
]

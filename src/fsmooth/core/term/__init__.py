"""Terms of the core language, each constructor beside its typing rule (paper 000, Fig. 3; design §2).

A constructor computes the type of the term from its parts and raises `IllTyped` if there is none, so an
ill-typed term cannot be built.  Terms are never mutated after construction; they compare by identity
(`core.alpha` compares them up to renaming of bound variables).  A `Var` is its own identity: binding the
same `Var` in two places is allowed, the nearest binder wins, and `core.subst` never captures.

>>> from fsmooth.core import primitives as p
>>> from fsmooth.core.types import F64
>>> x = Var("x", F64)
>>> Prim(p.add, (x, Const(1.0))).type
Float
>>> Prim(p.add, (x, Const(1)))
Traceback (most recent call last):
fsmooth.core.term.base.IllTyped: add wants numbers of one type, not (Float, Int)
"""

from __future__ import annotations

from fsmooth.core.term.arrays import Delta, Get, Length, Plus, Unread, Update, Vector, Zero
from fsmooth.core.term.base import NOWHERE, Annotated, Backwards, Flow, FromEnd, IllTyped, Site, Term
from fsmooth.core.term.calculus import App, Const, If, Lam, Let, Prim, Var, let, scalar_constant
from fsmooth.core.term.calls import Call, Header, Running
from fsmooth.core.term.checks import Check, Failure, Require
from fsmooth.core.term.custom import Custom, Rule, Sealed
from fsmooth.core.term.data import Field, Inject, Null, Tag
from fsmooth.core.term.derivative import Deriv, Method, Verb
from fsmooth.core.term.linear_maps import MapTerm
from fsmooth.core.term.loops import Build, Carrying, Collect, IFold, Reduce, Reduction, While
from fsmooth.core.term.tape import Pulled, Record, RecordRegion, RecordSum, Retained, Swept, Taped
from fsmooth.core.term.tuples import MakeTuple, Proj

AnyTerm = (
    Const
    | Var
    | Let
    | Lam
    | App
    | Call
    | If
    | Build
    | Vector
    | IFold
    | While
    | Reduce
    | Collect
    | Get
    | Length
    | MakeTuple
    | Proj
    | Prim
    | Zero
    | Delta
    | Update
    | Plus
    | Check
    | Require
    | Custom
    | Deriv
    | Inject
    | Tag
    | Field
    | Null
    | MapTerm
    | Record
    | RecordSum
    | RecordRegion
    | Taped
    | Swept
    | Retained
    | Pulled
)
"""Every construct: what a central `match` must exhaust."""

__all__ = [
    "Annotated",
    "Backwards",
    "Flow",
    "AnyTerm",
    "App",
    "Build",
    "Call",
    "Carrying",
    "Check",
    "Collect",
    "Const",
    "Custom",
    "Delta",
    "Deriv",
    "Failure",
    "Field",
    "FromEnd",
    "Get",
    "Header",
    "IFold",
    "If",
    "IllTyped",
    "Inject",
    "Lam",
    "Length",
    "Let",
    "MakeTuple",
    "MapTerm",
    "Method",
    "NOWHERE",
    "Null",
    "Plus",
    "Prim",
    "Proj",
    "Pulled",
    "Record",
    "RecordRegion",
    "RecordSum",
    "Reduce",
    "Reduction",
    "Require",
    "Retained",
    "Rule",
    "Running",
    "Sealed",
    "Site",
    "Tag",
    "Swept",
    "Taped",
    "Term",
    "Unread",
    "Update",
    "Var",
    "Vector",
    "Verb",
    "While",
    "Zero",
    "let",
    "scalar_constant",
]

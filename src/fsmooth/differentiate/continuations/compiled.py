"""`method="continuations"`, compiled: paper 004 where it cannot be done on the C stack, which is at calls of definitions.

The transform is selective.  What has no calls of definitions is direct, and goes back in the block where it is, by reverse mode;
a call and its way back are the two definitions of `reverse/saved.py`.  What these need when what they call returns is in records,
so that neither way has a recursion of its own (core/term/calls.py `Running`, loops/continuations.py, backend/c/machines.py).
"""

from __future__ import annotations

from typing import cast

from fsmooth.core.definitions import reachable, redefined
from fsmooth.core.term import Header, Lam, Running
from fsmooth.differentiate.definitions import definition_of


def on_records(derivative: Lam) -> Lam:
    """The derivative, whose calls, and theirs, run on records.

    Raises:
        NoDerivative: if a definition that it calls is still being made.

    """
    for header in reachable(derivative):
        definition_of(header)
    return cast(Lam, redefined(derivative, lambda f: f, _on_records))


def _on_records(header: Header) -> Header:
    return Header(header.name, header.parameters, header.result, header.site, header.model, Running.RECORDS)

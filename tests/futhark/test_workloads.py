"""The workloads of the field, and their derivatives, as Futhark text."""

from __future__ import annotations

import pytest

from fsmooth.errors import UnsupportedError
from tests.futhark.harness import Read, agree, flat, flat_arguments
from tests.futhark.workloads import RECURSIVE, WORKLOADS
from tests.lower.harness import expected


@pytest.mark.parametrize("name", WORKLOADS)
def test_values(name: str) -> None:
    """The same as the interpreter makes of the term before it is optimised, or of its derivative as it was made."""
    function, given = WORKLOADS[name]
    program = Read(function.futhark(*given))
    stages = function.compiled(*given)
    term = stages.terms.get("derivative", stages.terms["definition"])
    entry, values = function._entry(given, {})
    arguments = [values[q.name] for q in entry.elaborated.parameters]
    found = program.run(flat_arguments(arguments, [q.type for q in term.parameters]))
    agree(found, list(flat(expected(term, *arguments), term.body.type)), 1e-9)


@pytest.mark.parametrize("name", RECURSIVE)
def test_recursion_is_refused(name: str) -> None:
    function, given = RECURSIVE[name]
    with pytest.raises(UnsupportedError, match="no word for a function that calls itself"):
        function.futhark(*given())

"""What is wrong with an argument that is annotated with `fs.Index` or `fs.Offsets`: where, which number, and what is asked for.

The kernel says only that something is; here the argument is looked through once more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

import numpy as np

from fsmooth.core.term import Failure, Site
from fsmooth.errors import ArgumentIndexError
from fsmooth.frontend.diagnose import render


def misplaced(failure: Failure, site: Site, limit: int, number: int, value: object) -> ArgumentIndexError:
    """The error that `value`, the argument at this place, is no index below the limit, or has elements that are none."""
    elements = np.asarray(value)
    if failure is Failure.DECREASING:
        return _decreasing(site, elements)
    if elements.ndim:
        place = _first((elements < 0) | (elements >= limit))
        if place is None:
            return _changed(site)
        what, number = _element(site, place), int(elements[place])
    else:
        what = site.what
    asked = f"integers from 0 to {limit - 1}" if limit > 0 else "no integers, since there are no elements"
    hint = (
        "negative indices do not count from the end here" if number < 0 else "an index type is a promise of the caller"
    )
    return ArgumentIndexError(
        render(site, f"{what} is {number}: its annotation asks for {asked}", f"{hint}: {_ADVICE}")
    )


def part_called(what: str, arguments: Mapping[str, object]) -> object:
    """The argument, or part of one, that is called so: `mesh.corners`, `meshes[0].corners`."""
    name, *steps = re.findall(r"[^.\[\]]+", what)
    value = arguments.get(name)
    for step in steps:
        value = getattr(value, step) if hasattr(value, step) else value[ast.literal_eval(step)]  # type: ignore[index]
    return value


_ADVICE = "correct the argument, or annotate it with int, and every access is checked"


def _decreasing(site: Site, offsets: np.ndarray) -> ArgumentIndexError:
    place = _first(np.diff(offsets) < 0)
    if place is None:
        return _changed(site)
    *batch, k = place
    first, second = [(*batch, k), (*batch, k + 1)]
    before = f"{_element(site, first)}, which is {offsets[first]}"
    message = f"{_element(site, second)} is {offsets[second]}, less than {before}: offsets do not decrease"
    return ArgumentIndexError(render(site, message, _ADVICE))


def _element(site: Site, place: Sequence[int]) -> str:
    return f"{site.what}[{', '.join(map(str, place))}]"


def _first(wrong: np.ndarray) -> Sequence[int] | None:
    """The first place where something is wrong."""
    places = np.argwhere(wrong)
    return tuple([int(k) for k in places[0]]) if len(places) else None


def _changed(site: Site) -> ArgumentIndexError:
    return ArgumentIndexError(render(site, f"{site.what} was changed during the call", _ADVICE))

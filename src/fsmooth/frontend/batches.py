"""Functions of batches: what is mapped over which axes (`fs.vmap`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable

Axes = int | None | tuple["Axes", ...]
"""An axis, None for what is the same for all, or one for each part."""


class OwnDefault:
    """Stands for an argument that is not given: the function has a default of its own, which is no batch."""

    def __repr__(self) -> str:
        return "…"


OWN_DEFAULT = OwnDefault()


class OfBatches:
    """`function` over batches; a lambda stands in for it, since it has no source.

    It is no record: what programs see of it is one object, which does not change.
    """

    def __init__(
        self, function: Callable[..., object], in_axes: Axes, out_axes: Axes, signature: inspect.Signature
    ) -> None:
        self.function = function
        self.in_axes = in_axes
        self.out_axes = out_axes
        self.signature = signature

    def __call__(self, *args: object, **kwargs: object) -> object:
        """It is compiled, and never called itself."""
        raise NotImplementedError


def as_axes(given: object) -> Axes:
    """What the user gave as axes, lists as tuples.

    Raises:
        ValueError: for what stands for no axes.

    """
    if isinstance(given, tuple | list):
        return tuple([as_axes(part) for part in given])
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise ValueError(given)


def axes_of_parameters(in_axes: Axes, signature: inspect.Signature) -> dict[str, Axes]:
    """The axes of each parameter that `in_axes` speaks of.

    Raises:
        ValueError: if it speaks of too many, or not of all that must be given.

    """
    parameters = signature.parameters
    if not isinstance(in_axes, tuple):
        return dict.fromkeys(parameters, in_axes)
    needed = [q.name for q in parameters.values() if q.default is q.empty]
    named = dict(zip(parameters, in_axes, strict=False))
    if len(in_axes) > len(parameters) or not {*needed} <= {*named}:
        raise ValueError(in_axes)
    return named


def with_own_defaults(signature: inspect.Signature) -> inspect.Signature:
    """The parameters of a function of batches: what is not given is no batch."""
    parameters = signature.parameters.values()
    own = [q if q.default is q.empty else q.replace(default=OWN_DEFAULT) for q in parameters]
    return signature.replace(parameters=own, return_annotation=signature.empty)


def mistake_of(in_axes: object, out_axes: object, signature: inspect.Signature) -> tuple[str, str] | None:
    """What is wrong with the axes that were given for a function of these parameters, and what to write."""
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return f"vmap of a function with the parameter *{parameter.name}", "name its parameters: lambda x: f(x)"
    try:
        out = as_axes(out_axes)
    except ValueError:
        out = None
    if out is None or not _is_whole(out):
        return f"out_axes={out_axes!r}", "give an integer, or a tuple of them for a tuple of results"
    try:
        axes_of_parameters(as_axes(in_axes), signature)
    except ValueError:
        names = ", ".join(signature.parameters)
        return f"in_axes={in_axes!r} of a function of {names}", f"give an integer or None for each of {names}"
    return None


def _is_whole(axes: Axes) -> bool:
    return all([_is_whole(part) for part in axes]) if isinstance(axes, tuple) else axes is not None

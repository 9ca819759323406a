"""What the results of a function are called in C: after the mathematics where it is a derivative.

`value` or `result`, or the variable that is returned; `dW` is the gradient by W, `dy_dx` the Jacobian of y by x, a jvp has a
`dvalue`, an hvp a `product`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence

from fsmooth.core.term import Verb
from fsmooth.core.types import Array, Tuple, Type, has_float, unzipped
from fsmooth.frontend.programs import DerivedProgram, Program
from fsmooth.loops.identifiers import identifier

Path = tuple[str, ...]


def result_names(program: Program, parameters: Sequence[tuple[str, Type]], result: Type) -> list[str]:
    """A name for each array or number of a result of a type, given the names and types of the parameters."""
    types = dict(parameters)
    found = _named(program, list(_paths(unzipped(result))), types)
    return [identifier(name) for name in found]


def _named(program: Program, leaves: list[tuple[Path, Type]], types: dict[str, Type]) -> list[str]:
    paths = [path for path, _ in leaves]
    if not isinstance(program, DerivedProgram):
        own = returned(program)
        plain = "value" if len(leaves) == 1 and not isinstance(leaves[0][1], Array) else "result"
        return [_joined(own or (plain if not path or path[0].isdigit() else ""), path) for path in paths]
    match program.verb:
        case Verb.GRAD:
            return _along(program, "d", paths)
        case Verb.VALUE_AND_GRAD:
            return ["value", *_along(program, "d", [path[1:] for path in paths[1:]])]
        case Verb.JACOBIAN:
            wrt = [
                _joined(f"d{x}", path)
                for x in program.wrt
                for path, leaf in _paths(unzipped(types[x]))
                if has_float(leaf)
            ]
            outputs = leaves[:: len(wrt)]
            tops = [(path[: len(path) - _depth(program, types)], type_) for path, type_ in outputs]
            of = _outputs(program.program, tops, types)
            return [f"d{y}_{x}" for y in of for x in wrt]
        case Verb.JVP if len(leaves) % 2 == 0:
            half = [path[1:] for path in paths[: len(paths) // 2]]
            return [_joined(kind, path) for kind in ("value", "dvalue") for path in half]
        case Verb.HVP:
            return ["product"] if len(paths) == 1 else _along(program, "product_", paths)
        case _:
            return _plain(paths)


def _along(program: DerivedProgram, start: str, paths: list[Path]) -> list[str]:
    """What has the structure of what it is differentiated by: of a tree also the nodes, which are no real numbers."""
    wrt = program.wrt
    if program.single:
        return [_joined(f"{start}{wrt[0]}", path) for path in paths]
    return [_joined(f"{start}{wrt[int(path[0])]}", path[1:]) for path in paths]


def _outputs(program: Program, leaves: list[tuple[Path, Type]], types: dict[str, Type]) -> list[str]:
    """What is differentiated is called by the variable that is returned, or by its function."""
    if isinstance(program, DerivedProgram):
        return _named(program, leaves, types)
    return [_joined(returned(program) or program.name, path) for path, _ in leaves]


def _depth(program: DerivedProgram, types: dict[str, Type]) -> int:
    """How deep the structure of what it is differentiated by is, at its first leaf."""
    first = next(_paths(unzipped(types[program.wrt[0]])))[0]
    return len(first) + (0 if program.single else 1)


def _plain(paths: list[Path]) -> list[str]:
    return [_joined("result", path) for path in paths]


def _joined(start: str, path: Path) -> str:
    return "_".join([*([start] if start else []), *path]) or "result"


def _paths(type_: Type) -> Iterator[tuple[Path, Type]]:
    if not isinstance(type_, Tuple):
        yield (), type_
        return
    names = type_.names or range(len(type_.items))
    for name, item in zip(names, type_.items, strict=True):
        for path, leaf in _paths(item):
            yield (str(name), *path), leaf


def returned(program: Program) -> str | None:
    """The variable that a function returns in its last statement, if it is one, and not a parameter."""
    if isinstance(program, DerivedProgram):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(program.function)))
    except (OSError, TypeError, SyntaxError):
        return None
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return None
    match function.body[-1]:
        case ast.Return(ast.Name(name)) if name not in program.signature.parameters:
            return name
        case _:
            return None

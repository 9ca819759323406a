"""What stands left of `=`: names, tuples of names, elements of arrays."""

from __future__ import annotations

import ast

from fsmooth.core.lists import ListOf, is_list
from fsmooth.core.subst import substitute
from fsmooth.core.term import Const, Get, MakeTuple, Term, Var
from fsmooth.core.types import Array, Int, Tuple, Type
from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.alternatives import with_parts
from fsmooth.frontend.python.arithmetic import binary
from fsmooth.frontend.python.arrays.products import matmul
from fsmooth.frontend.python.assignments import Place, assigned, combined, in_place
from fsmooth.frontend.python.brackets import Index, indices_in
from fsmooth.frontend.python.containers import assign_item
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growing import forget_names, with_element
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.list_sums import repeated
from fsmooth.frontend.python.names import item_of
from fsmooth.frontend.python.nodes import require_no_node
from fsmooth.frontend.python.own_operators import own_update
from fsmooth.frontend.python.parts import parts_seen
from fsmooth.frontend.python.protocols import require_parts
from fsmooth.frontend.python.sizes import required_size
from fsmooth.frontend.python.spreading import starred_items
from fsmooth.frontend.python.syntax import as_load
from fsmooth.frontend.python.values import Growing, Static, Unrolled, Value


def named(frame: Frame, target: ast.expr, value: Value) -> Value:
    """A value bound in the scope under the name of its target."""
    if isinstance(target, ast.Name) and isinstance(value, Term):
        return frame.bind(value, target.id)
    return value


def assign_target(frame: Frame, target: ast.expr, value: Value, node: ast.AST) -> None:
    match target:
        case ast.Name(id):
            frame.names[id] = value
        case ast.Tuple(elts) | ast.List(elts):
            unpack(frame, elts, value, node)
        case ast.Subscript() if assign_item(frame, target, value, node):
            return
        case ast.Subscript():
            assign_element(frame, target, frame.term(value, node), node)
        case ast.Attribute():
            frame.unsupported(
                target, "assignment to an attribute", "make a new record with the changed field: dataclasses.replace(…)"
            )
        case _:
            frame.unsupported(target, "this target", "assign to plain names")


def unpack(frame: Frame, targets: list[ast.expr], value: Value, node: ast.AST) -> None:
    """a, b = value."""
    items: list[Value]
    value = with_parts(frame, value, node)
    if any([isinstance(target, ast.Starred) for target in targets]):
        items = starred_items(frame, targets, value, node)
        targets = [target.value if isinstance(target, ast.Starred) else target for target in targets]
    elif isinstance(value, Unrolled):
        items = list(value.items)
    elif isinstance(value, Static) and isinstance(value.value, tuple | list):
        items = [item_of(frame, value, k, node) for k in range(len(value.value))]
    else:
        term = frame.term(value, node)
        if isinstance(term.type, Array):
            array = frame.bind(term, "a")
            array = required_size(frame, array, 0, Const(len(targets)), node, f"unpacking into {len(targets)} names")
            items = [Get(array, Const(k)) for k in range(len(targets))]
        elif isinstance(term.type, Tuple):
            require_no_node(frame, term, node)
            require_parts(frame, term, node)
            bound = term if isinstance(term, MakeTuple) else frame.bind(term, "t")
            items = parts_seen(bound)
        else:
            frame.fail(
                TypeMismatchError, node, f"{describe(term.type)} cannot be unpacked", "unpack a tuple or an array"
            )
    if len(items) != len(targets):
        frame.fail(
            TypeMismatchError, node, f"{len(targets)} names for {len(items)} values", "give each value a name, or _"
        )
    items = [named(frame, t, v) for t, v in zip(targets, items, strict=True)]
    for k, target in enumerate(targets):
        changing = changed_array(frame, target)
        assign_target(frame, target, items[k], node)
        if changing is not None:
            items[k + 1 :] = [as_changed(frame, item, *changing, node) for item in items[k + 1 :]]


def changed_array(frame: Frame, target: ast.expr) -> tuple[str, Term] | None:
    """The name of an array whose elements are assigned, and what it stands for before; None for anything else."""
    if not isinstance(target, ast.Subscript):
        return None
    while isinstance(target, ast.Subscript):
        target = target.value
    owner = frame.names.get(target.id) if isinstance(target, ast.Name) else None
    is_array = isinstance(owner, Term) and isinstance(owner.type, Array) and not is_list(owner.type)
    return (target.id, owner) if is_array and isinstance(target, ast.Name) and isinstance(owner, Term) else None


def as_changed(frame: Frame, value: Value, name: str, before: Term, node: ast.AST) -> Value:
    """A view of an array whose elements were assigned since: it sees what they are now, as in NumPy."""
    views = frame.shared.views
    if not isinstance(value, Term) or not isinstance(value.type, Array):
        return value
    if views.places(value).isdisjoint(views.places(before)):
        return value
    now = frame.names[name]
    if isinstance(before, Var) and before in value.free and isinstance(now, Term):
        return substitute(value, {before: now})
    what = f"what is assigned here shares its memory with {name}, whose elements were assigned before"
    frame.fail(UndefinedNameError, node, what, "copy it: (a[1].copy(), a[0].copy())")


def assign_element(frame: Frame, target: ast.Subscript, value: Term, node: ast.AST) -> None:
    """x[…] = e, A[i][…] = e: the name gets a new array."""
    name, indices = place_of(frame, target)
    owner = frame.expression(ast.copy_location(ast.Name(name.id, ast.Load()), name))
    if isinstance(owner, Growing):
        forget_names(frame, name.id, owner, node)
        places = [index for index in indices if isinstance(index, Term)]
        if len(places) < len(indices):
            frame.unsupported(
                target, "assignment to a slice of a list that grows", "assign element by element in a loop"
            )
        frame.names[name.id] = with_element(frame, owner, places, value, node, name.id)
        return
    array = changeable(frame, name, node)
    made = assigned(frame, array, indices, value, Place(target, node, name.id))
    new = frame.bind(frame.with_lists(made, array.type), name.id)
    frame.changed(name.id, array, node)
    frame.names[name.id] = new


def place_of(frame: Frame, target: ast.Subscript) -> tuple[ast.Name, list[Index]]:
    """The name of the array whose elements are assigned, and their indices: those of A[i][j] are those of A[i, j]."""
    indices = indices_in(frame, target.slice)
    place: ast.expr = target.value
    while isinstance(place, ast.Subscript):
        outer = indices_in(frame, place.slice)
        if not all([isinstance(i, Term) and isinstance(i.type, Int) for i in outer]):
            frame.unsupported(target, "assignment to elements of a part of an array", "write one pair of brackets")
        indices = [*outer, *indices]
        place = place.value
    if not isinstance(place, ast.Name):
        frame.unsupported(target, "this target", "assign to an element of a named array")
    return place, indices


def changeable(frame: Frame, name: ast.Name, node: ast.AST) -> Term:
    """The array of this name, whose elements are to be assigned."""
    array = frame.term(frame.expression(ast.copy_location(ast.Name(name.id, ast.Load()), name)), name)
    if not isinstance(array.type, Array):
        frame.fail(
            TypeMismatchError,
            node,
            f"{name.id} is {describe(array.type)}, whose elements cannot be assigned",
            "assign to elements of arrays only",
        )
    return array


def augmented(frame: Frame, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
    """X += e, x[…] += e."""
    if isinstance(target, ast.Subscript) and is_of_array(frame, target) and not isinstance(op, ast.MatMult):
        combine_elements(frame, target, op, value, node)
        return
    old = frame.value(as_load(target))
    amount = frame.value(value)
    own = own_update(frame, op, old, amount, node)
    if own is not None:
        assign_target(frame, target, named(frame, target, own), node)
        return
    if isinstance(op, ast.MatMult):
        result = frame.term(matmul(frame, node, old, amount), node)
    elif isinstance(op, ast.Mult) and (longer := repeated(frame, old, amount, node)) is not None:
        assign_target(frame, target, named(frame, target, longer), node)
        return
    else:
        result = binary(frame, op, old, amount, node)
    if isinstance(target, ast.Name) and isinstance(old.type, Array):
        result = in_place(frame, old, result, node, target.id)
        frame.changed(target.id, old, node)
    assign_target(frame, target, named(frame, target, result), node)


def is_of_array(frame: Frame, target: ast.Subscript) -> bool:
    """Are the elements those of an array, and not items of a container of the program's?"""
    place: ast.expr = target
    while isinstance(place, ast.Subscript):
        place = place.value
    value = frame.names.get(place.id) if isinstance(place, ast.Name) else None
    return isinstance(value, Term) and isinstance(value.type, Array)


def element_type(type_: Type, depth: int) -> Type:
    """The type of what so many indices lead to."""
    for _ in range(depth):
        type_ = type_.element if isinstance(type_, Array) else type_
    return type_


def combine_elements(frame: Frame, target: ast.Subscript, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
    """x[…] += e: each element is changed once."""
    name, indices = place_of(frame, target)
    array = frame.bind(changeable(frame, name, node), name.id)
    if isinstance(op, ast.Add | ast.Mult) and isinstance(element_type(array.type, len(indices)), ListOf):
        frame.unsupported(node, "giving a list in a list other elements", "make a new list, and append it to another")
    place = Place(target, node, name.id)

    def change(old: Term, amount: Term) -> Term:
        return binary(frame, op, old, amount, node)

    made = combined(frame, array, indices, change, frame.value(value), place)
    new = frame.bind(frame.with_lists(made, array.type), name.id)
    frame.changed(name.id, array, node)
    frame.names[name.id] = new

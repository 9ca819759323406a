"""Programs with one mistake in a statement each, or in what a loop goes over."""

# ruff: noqa

from __future__ import annotations

import contextlib

import fsmooth as fs
from tests.errors.programs import x

BAD: list[tuple[object, tuple[object, ...]]] = []


def wrong(*arguments):
    """Add a program, with arguments to try it on."""

    def add(function):
        BAD.append((function, arguments))
        return function

    return add


def errstate():
    """A context that has the name of NumPy's."""
    return contextlib.nullcontext()


@wrong(x)
def map_over_nothing(x):
    return x[0] + sum(map(abs))


@wrong(x)
def reversed_of_two(x):
    return sum(reversed(x, x))


@wrong(x)
def enumerate_of_nothing(x):
    for i, v in enumerate():
        x[i] = v
    return x


@wrong(x)
def unroll_of_nothing(x):
    return [v for v in fs.unroll()]


@wrong(x)
def map_with_keyword(x):
    return sum(map(abs, x, strict=True))


@wrong(x)
def read_after_del(x):
    y = x[0] * 2
    del y
    return y


@wrong(x)
def del_in_a_branch(x):
    y = x[0]
    if x[1] > 0:
        del y
    return y


@wrong(x)
def del_of_an_element(x):
    del x[0]
    return x


@wrong(x)
def del_of_nothing(x):
    del undefined
    return x


@wrong(x)
def with_a_file(x):
    with open("file") as file:
        return x


@wrong(x)
def another_errstate(x):
    with errstate():
        return x


@wrong(x)
def match_of_a_dictionary(x):
    match {"a": x}:
        case {"a": y}:
            return y
    return 0.0


@wrong(x)
def match_without_return(x):
    match len(x):
        case 1 | 2:
            return x


@wrong(x)
def match_of_a_truth_value(x):
    match x[0] > 1:  # of NumPy's, which is not True
        case True:
            return x
    return 2 * x


@wrong(x)
def an_item_changes_before_its_step(x):
    y, s = x.copy(), 0.0
    for row in (x, y):
        s += row[0]
        y[0] = 2.0
    return s


@wrong(x)
def import_of_a_module_of_users(x):
    import tests.errors

    return x


@wrong(x)
def import_of_no_module(x):
    import numpy.nothing

    return x


@wrong(x)
def import_of_no_name(x):
    from math import nothing

    return x


@wrong(x)
def import_from_here(x):
    from . import programs

    return x


@wrong(x)
def returns_in_some_steps_only(x):
    for v in x:
        if v > 1:
            return v


@wrong(x)
def returns_of_two_kinds(x):
    for v in x:
        if v > 1:
            return x
    return 0.0


@wrong(x)
def return_of_nothing_in_a_loop(x):
    for v in x:
        if v > 1:
            return
    return x


@wrong(x)
def return_where_rows_change(x):
    y = x.copy()
    for row in (x, y):
        if row[0] > 1:
            return row
        y[0] = 2.0
    return x

"""Iteration: ranges, arrays, enumerate, zip, reversed; comprehensions and generators."""

from __future__ import annotations

import ast
from collections.abc import ItemsView, KeysView, ValuesView

from fsmooth.core import primitives as p
from fsmooth.core.build import both, minus, number, plus, times
from fsmooth.core.term import (
    Collect,
    Const,
    Failure,
    Get,
    If,
    IFold,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Site,
    Term,
    Var,
    Zero,
)
from fsmooth.core.types import INT, Array, Bool, Float, Int, Tuple, is_additive, is_numeric
from fsmooth.errors import TypeMismatchError, UnsupportedError
from fsmooth.frontend.python.expressions import Expressions
from fsmooth.frontend.python.frame import describe, project
from fsmooth.frontend.python.values import Sequence, Static, Unrolled, Value
from fsmooth.rewrite.linear import polynomial


class Iteration(Expressions):
    """Everything that runs over something."""

    # -- iterables -----------------------------------------------------------------------------------------------------

    def iterable(self, node: ast.expr) -> Sequence | Unrolled:
        """What `for … in node` runs over."""
        if isinstance(node, ast.Call):
            made = self.iterator_call(node)
            if made is not None:
                return made
        return self.iterable_value(self.expression(node), node)

    def iterable_value(self, value: Value, node: ast.AST) -> Sequence | Unrolled:
        """A value as something to iterate over."""
        match value:
            case Sequence() | Unrolled():
                return value
            case Static(inner) if isinstance(inner, range):
                start, step = inner.start, inner.step
                return Sequence(Const(len(inner)), lambda i: plus(Const(start), times(Const(step), i)))
            case Static(inner) if isinstance(inner, list | tuple | dict | set | frozenset | str):
                return Unrolled(tuple([self.constant_or_static(x) for x in inner]))
            case Static(inner) if isinstance(inner, ItemsView | KeysView | ValuesView):
                return Unrolled(tuple([self.constant_or_static(x) for x in inner]))
        term = self.term(value, node)
        if isinstance(term.type, Tuple):
            bound = self.bind(term, "t")
            return Unrolled(tuple([project(bound, k) for k in range(len(term.type.items))]))
        if isinstance(term.type, Array):
            array = self.bind(term, "a")
            return Sequence(self.size(array, node), lambda i: Get(array, i))
        self.fail(
            TypeMismatchError, node, f"{describe(term.type)} cannot be iterated over", "use range(n), or an array"
        )

    def iterator_call(self, node: ast.Call) -> Sequence | Unrolled | None:
        """range, enumerate, zip, reversed, fs.unroll."""
        callee = self.expression(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else None
        if not isinstance(callee, Static):
            return None
        function, arguments = callee.value, node.args
        if function is range:
            return self.range(node)
        if function is enumerate and arguments:
            inner = self.iterable(arguments[0])
            start = self.value(arguments[1]) if len(arguments) > 1 else Const(0)
            if isinstance(inner, Unrolled):
                pairs = [self.pair(plus(start, Const(k)), x, node) for k, x in enumerate(inner.items)]
                return Unrolled(tuple(pairs))
            return Sequence(inner.size, lambda i, e=inner.element: self.pair(plus(start, i), e(i), node))  # type: ignore[misc]
        if function is zip and arguments:
            return self.zipped([self.iterable(a) for a in arguments], node)
        if function is reversed and len(arguments) == 1:
            inner = self.iterable(arguments[0])
            if isinstance(inner, Unrolled):
                return Unrolled(inner.items[::-1])
            last = minus(inner.size, Const(1))
            return Sequence(inner.size, lambda i, e=inner.element: e(minus(last, i)))  # type: ignore[misc]
        if getattr(function, "__name__", "") == "unroll" and getattr(function, "__module__", "") == "fsmooth.api":
            inner = self.iterable(arguments[0])
            if isinstance(inner, Unrolled):
                return inner
            if not isinstance(inner.size, Const):
                self.unsupported(node, "unrolling over a size known only at run time", "remove fs.unroll")
            return Unrolled(tuple([inner.element(Const(k)) for k in range(int(inner.size.value))]))
        return None

    def pair(self, first: Term, second: Value, node: ast.AST) -> Value:
        """A pair of values; parts that are not run-time values stay apart."""
        if isinstance(second, Term):
            return MakeTuple((first, second))
        return Unrolled((first, second))

    def range(self, node: ast.Call) -> Sequence:
        """range(stop), range(start, stop), range(start, stop, step)."""
        bounds = [self.value(a) for a in node.args]
        for bound, part in zip(bounds, node.args, strict=True):
            if not isinstance(bound.type, Int):
                self.fail(TypeMismatchError, part, f"range wants integers, not {describe(bound.type)}", "use int(…)")
        if len(bounds) == 1:
            size = self.bind(bounds[0], "n")
            return Sequence(size, lambda i: i)
        start, stop = self.bind(bounds[0], "start"), self.bind(bounds[1], "stop")
        if len(bounds) == 2:
            return Sequence(minus(stop, start), lambda i: plus(start, i))
        step = bounds[2]
        if not isinstance(step, Const) or step.value == 0:
            self.unsupported(node, "range with a computed step", "use a constant step that is not 0")
        s = int(step.value)
        gap = minus(stop, start) if s > 0 else minus(start, stop)
        if isinstance(gap, Const):
            count: Term = Const(max((int(gap.value) + abs(s) - 1) // abs(s), 0))
        else:
            count = Prim(p.floor_divide, (plus(gap, Const(abs(s) - 1)), Const(abs(s)))) if abs(s) != 1 else gap
        return Sequence(count, lambda i: plus(start, times(Const(s), i)))

    def zipped(self, parts: list[Sequence | Unrolled], node: ast.AST) -> Sequence | Unrolled:
        """zip: as long as the shortest."""
        if any([isinstance(q, Unrolled) for q in parts]):
            lengths = [len(q.items) for q in parts if isinstance(q, Unrolled)]
            count = min(lengths)
            columns = []
            for q in parts:
                if isinstance(q, Unrolled):
                    columns.append(list(q.items[:count]))
                else:
                    columns.append([q.element(Const(k)) for k in range(count)])
            return Unrolled(tuple([Unrolled(row) for row in zip(*columns, strict=True)]))
        sequences = [q for q in parts if isinstance(q, Sequence)]
        size = sequences[0].size
        for q in sequences[1:]:
            if not polynomial(size).plus(polynomial(q.size), -1).is_zero():
                size = Prim(p.minimum, (size, q.size))
        size = self.bind(size, "n")

        def element(i: Term) -> Value:
            items = [q.element(i) for q in sequences]
            terms = [x for x in items if isinstance(x, Term)]
            return MakeTuple(tuple(terms)) if len(terms) == len(items) else Unrolled(tuple(items))

        return Sequence(size, element)

    # -- targets -------------------------------------------------------------------------------------------------------

    def assign_target(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """Give the names of a loop or assignment target their values."""
        raise NotImplementedError

    def index_name(self, target: ast.expr, node: ast.AST) -> Var:
        """The index of a loop, named after its target."""
        name = "i"
        if isinstance(target, ast.Name):
            name = target.id if target.id != "_" else "i"
        elif isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
            name = target.elts[0].id if target.elts[0].id != "_" else "i"
        return Var(name, INT, self.source.site(node))

    # -- comprehensions --------------------------------------------------------------------------------------------------

    def comprehension(self, node: ast.ListComp) -> Term:
        saved = dict(self.names)
        try:
            return self.array_of(node, node.generators)
        finally:
            self.names.clear()
            self.names.update(saved)

    def array_of(self, node: ast.ListComp, generators: list[ast.comprehension]) -> Term:
        """A list comprehension as an array."""
        first = generators[0]
        if len(generators) == 1 and not first.ifs:
            source = self.iterable(first.iter)
            if isinstance(source, Unrolled):
                return self.display(self.unrolled(source, first, node.elt), node)
            index = self.index_name(first.target, first.target)

            def body() -> Term:
                self.assign_target(first.target, source.element(index), first.target)
                return self.value(node.elt)

            element = self.inside(body)
            return self.stacked(element, index, source.size, node)
        if not any([g.ifs for g in generators]) and len(generators) == 2:
            flat = self.flattened(node, generators)
            if flat is not None:
                return flat
        return self.collected(node, generators)

    def unrolled(self, source: Unrolled, generator: ast.comprehension, element: ast.expr) -> list[Term]:
        """The elements of a comprehension over a container."""
        items = []
        for value in source.items:
            self.assign_target(generator.target, value, generator.target)
            items.append(self.bind(self.value(element), "item"))
        return items

    def flattened(self, node: ast.ListComp, generators: list[ast.comprehension]) -> Term | None:
        """Two generators of independent sizes: one array over the product."""
        outer, inner = generators
        first = self.iterable(outer.iter)
        if isinstance(first, Unrolled):
            return None
        probe = Var("probe", INT)
        before = len(self.scope)
        self.assign_target(outer.target, first.element(probe), outer.target)
        second = self.iterable(inner.iter)
        if isinstance(second, Unrolled) or probe in second.size.free or len(self.scope) != before:
            del self.scope[before:]
            return None
        count = self.bind(second.size, "n")
        index = Var("k", INT, self.source.site(node))

        def body() -> Term:
            row, column = Prim(p.floor_divide, (index, count)), Prim(p.modulo, (index, count))
            self.assign_target(outer.target, first.element(self.bind(row, "row")), outer.target)
            again = self.iterable(inner.iter)
            assert isinstance(again, Sequence)
            self.assign_target(inner.target, again.element(self.bind(column, "column")), inner.target)
            return self.value(node.elt)

        return self.stacked(self.inside(body), index, times(first.size, count), node)

    def collected(self, node: ast.ListComp, generators: list[ast.comprehension]) -> Term:
        """A filtered comprehension as a value: its count is a size of its own."""
        made: list[tuple[Term, Var]] = []
        conditions: list[ast.expr] = []
        elements: list[tuple[ast.expr, Value]] = []
        for generator in generators:
            before = len(self.scope)
            source = self.iterable(generator.iter)
            if isinstance(source, Unrolled):
                self.unsupported(generator.iter, "a filter over a container", "iterate over an array or a range")
            if made and len(self.scope) != before:
                self.unsupported(
                    generator.iter, "a computed iterable here", "bind it to a name before the comprehension"
                )
            index = self.index_name(generator.target, generator.target)
            made.append((source.size, index))
            elements.append((generator.target, source.element(index)))
            self.assign_target(generator.target, source.element(index), generator.target)
            conditions.extend(generator.ifs)

        def guard() -> Term:
            self.assign_all(elements)
            result: Term = Const(True)
            for test in conditions:
                one = self.truth(self.value(test), test)
                result = one if isinstance(result, Const) else both(result, one)
            return result

        def body() -> Term:
            self.assign_all(elements)
            return self.value(node.elt)

        test = self.inside(guard, conditional=True)
        element = self.inside(body, conditional=True)
        count: Term = If(self.inside(guard, conditional=True), Const(1), Const(0))
        for size, index in reversed(made):
            count = Reduce(Reduction.SUM, size, index, count)
        result = Collect(self.bind(count, "count"), tuple(made), test, element)
        self.rectangular(result, node)
        return result

    def assign_all(self, elements: list[tuple[ast.expr, Value]]) -> None:
        """Targets of several generators."""
        for target, value in elements:
            self.assign_target(target, value, target)

    # -- reductions ------------------------------------------------------------------------------------------------------

    def reduction(self, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp) -> Term:
        """sum(… for …), max(…), any(…), all(…)."""
        saved = dict(self.names)
        try:
            return self.reduced(reduction, node, list(node.generators))
        finally:
            self.names.clear()
            self.names.update(saved)

    def reduced(
        self, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp, generators: list[ast.comprehension]
    ) -> Term:
        if not generators:
            return self.reducible(reduction, self.value(node.elt), node.elt)
        if reduction in (Reduction.MAX, Reduction.MIN):
            return self.extremum(reduction, node)
        first, *rest = generators
        source = self.iterable(first.iter)
        if isinstance(source, Unrolled):
            return self.unrolled_reduction(reduction, node, source, first, rest)
        index = self.index_name(first.target, first.target)

        def body() -> Term:
            self.assign_target(first.target, source.element(index), first.target)
            return self.filtered(reduction, node, list(first.ifs), rest)

        return Reduce(reduction, source.size, index, self.inside(body))

    def filtered(
        self,
        reduction: Reduction,
        node: ast.GeneratorExp | ast.ListComp,
        tests: list[ast.expr],
        rest: list[ast.comprehension],
    ) -> Term:
        """The element where all tests hold, else what changes nothing."""
        if not tests:
            return self.reduced(reduction, node, rest)
        condition = self.truth(self.value(tests[0]), tests[0])
        value = self.inside(lambda: self.filtered(reduction, node, tests[1:], rest), conditional=True)
        return If(condition, value, self.neutral(reduction, value, node))

    def neutral(self, reduction: Reduction, value: Term, node: ast.AST) -> Term:
        match reduction:
            case Reduction.SUM:
                if isinstance(value.type, Float | Int):
                    return Zero((), value.type)
                self.fail(UnsupportedError, node, "a filter in a sum of arrays", "write sum(x if c else zeros … for …)")
            case Reduction.PRODUCT:
                return number(1, value.type)
            case _:
                return Const(reduction is Reduction.ALL)

    def reducible(self, reduction: Reduction, term: Term, node: ast.AST) -> Term:
        """An element of a reduction, at a type that can be reduced."""
        match reduction:
            case Reduction.ALL | Reduction.ANY:
                return self.truth(term, node)
            case Reduction.SUM:
                if isinstance(term.type, Bool):
                    return self.convert(term, INT, node)
                if not is_additive(term.type) or isinstance(term.type, Tuple):
                    self.fail(TypeMismatchError, node, f"{describe(term.type)} cannot be summed")
            case _:
                if not is_numeric(term.type):
                    self.fail(TypeMismatchError, node, f"{reduction.value} of {describe(term.type)}")
        return term

    def unrolled_reduction(
        self,
        reduction: Reduction,
        node: ast.GeneratorExp | ast.ListComp,
        source: Unrolled,
        first: ast.comprehension,
        rest: list[ast.comprehension],
    ) -> Term:
        """A reduction over a container, at compile time."""
        total: Term | None = None
        for value in source.items:
            self.assign_target(first.target, value, first.target)
            one = self.filtered(reduction, node, list(first.ifs), rest)
            total = one if total is None else self.combined(reduction, total, one, node)
        if total is None:
            return {Reduction.SUM: Const(0), Reduction.PRODUCT: Const(1)}.get(
                reduction, Const(reduction is Reduction.ALL)
            )
        return total

    def combined(self, reduction: Reduction, a: Term, b: Term, node: ast.AST) -> Term:
        match reduction:
            case Reduction.SUM:
                return self.binary(ast.Add(), a, b, node)
            case Reduction.PRODUCT:
                return self.binary(ast.Mult(), a, b, node)
            case Reduction.MAX | Reduction.MIN:
                a, b = self.common(a, b, node)
                return Prim(p.maximum if reduction is Reduction.MAX else p.minimum, (a, b))
            case Reduction.ALL:
                return If(a, b, Const(False))
            case _:
                return If(a, Const(True), b)

    def extremum(self, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp) -> Term:
        """Max or min of a generator; an empty one is an error at run time."""
        site = self.source.site(node, self.source.segment(node))
        simple = len(node.generators) == 1 and not node.generators[0].ifs
        if simple:
            only = node.generators[0]
            source = self.iterable(only.iter)
            if isinstance(source, Unrolled):
                items = self.unrolled(source, only, node.elt)
                total = items[0]
                for item in items[1:]:
                    total = self.combined(reduction, total, item, node)
                return total
            index = self.index_name(only.target, only.target)
            size = source.size

            def body() -> Term:
                self.assign_target(only.target, source.element(index), only.target)
                return self.reducible(reduction, self.value(node.elt), node.elt)

            value: Term = Reduce(reduction, size, index, self.inside(body))
            return self.nonempty(Prim(p.less, (Const(0), size)), value, site)
        return self.filtered_extremum(reduction, node)

    def nonempty(self, condition: Term, value: Term, site: Site) -> Term:
        """`value`, which exists only if `condition` holds."""
        return Require(condition, value, Failure.EMPTY, (), site)

    def filtered_extremum(self, reduction: Reduction, node: ast.GeneratorExp | ast.ListComp) -> Term:
        """A loop that carries whether anything was found, and the best so far."""
        best = p.maximum if reduction is Reduction.MAX else p.minimum
        probe = self.inside(lambda: self.first_element(node, list(node.generators)))
        type_ = probe.type
        init = MakeTuple((Const(False), number(0, type_)))

        def run(state: Term, generators: list[ast.comprehension]) -> Term:
            if not generators:
                value = self.bind(self.convert(self.value(node.elt), type_, node), "value")
                found, so_far = project(state, 0), project(state, 1)
                return MakeTuple((Const(True), If(found, Prim(best, (so_far, value)), value)))
            first, *rest = generators
            source = self.iterable(first.iter)
            if isinstance(source, Unrolled):
                self.unsupported(first.iter, "a filter over a container", "iterate over an array or a range")
            index = self.index_name(first.target, first.target)
            inner = Var("best", init.type)

            def body() -> Term:
                self.assign_target(first.target, source.element(index), first.target)
                return tested(list(first.ifs), inner, rest)

            return IFold(source.size, state, inner, index, self.inside(body))

        def tested(tests: list[ast.expr], state: Term, rest: list[ast.comprehension]) -> Term:
            if not tests:
                return run(state, rest)
            condition = self.truth(self.value(tests[0]), tests[0])
            return If(condition, self.inside(lambda: tested(tests[1:], state, rest), conditional=True), state)

        result = self.bind(run(init, list(node.generators)), "best")
        site = self.source.site(node, self.source.segment(node))
        return self.nonempty(Proj(result, 0), Proj(result, 1), site)

    def first_element(self, node: ast.GeneratorExp | ast.ListComp, generators: list[ast.comprehension]) -> Term:
        """The element, for its type only."""
        for generator in generators:
            source = self.iterable(generator.iter)
            value = source.items[0] if isinstance(source, Unrolled) else source.element(Var("i", INT))
            self.assign_target(generator.target, value, generator.target)
        return self.reducible(Reduction.MAX, self.value(node.elt), node.elt)

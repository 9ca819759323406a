"""Loops over a small static size are unrolled (design §6), invariant definitions first."""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.matrix_products import nest_of, product_in
from fsmooth.core.subst import refresh, substitute, substitute1
from fsmooth.core.term import (
    App,
    Build,
    Const,
    Delta,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Vector,
    let,
)
from fsmooth.core.term.fields import Generators, Index
from fsmooth.core.traverse import is_loop, size_of_tree, steps, subterms
from fsmooth.core.types import Array, Tuple, has_array
from fsmooth.optimise.bindings import Bindings
from fsmooth.optimise.inlining import is_virtual
from fsmooth.optimise.occurrences import Occurrences
from fsmooth.optimise.policy import Policy
from fsmooth.optimise.rules.lambda_calculus import beta
from fsmooth.optimise.rules.small_sums import written_out
from fsmooth.rewrite.memory import Memory
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Trace


class Unrolling(Bindings):
    """One walk that decides about each definition and unrolls loops, but none of a product of matrices."""

    def __init__(
        self, rules: Iterable[Rule], policy: Policy, occurrences: Occurrences, trace: Trace, memory: Memory
    ) -> None:
        super().__init__(rules, policy, occurrences, trace, memory)
        self.kept_rolled: set[Var] = set()

    def step(self, term: Term) -> Term:
        nest = nest_of(term)
        whole = None if nest is None else product_in(nest, nest.element, may_fail=True)
        if whole is not None:
            self.kept_rolled.update([axis.index for axis in (*whole.outer, *whole.sums)])
        match term:
            case App(Lam()) if beta in self.by_head.get(App, ()):  # before the body is walked in ignorance
                applied = beta.apply(term, self.facts)
                assert applied is not None
                self.fired(beta, term, applied)
                self.progress = True
                return self.run(applied)
            case Build(size, index, body) if index not in self.kept_rolled:
                count = self._static(size)
                if count is not None and count > 0 and not (count > thresholds.SUMMED_DISPLAY and is_virtual(body)):
                    done = self._unroll(term, count)
                    if done is not None:
                        return done
            case Reduce(Reduction.SUM | Reduction.PRODUCT, size, index, body) if index not in self.kept_rolled:
                count = self._static(size)
                if count is not None and count > 1 and _is_summed_in_registers(body):
                    done = self._unroll(term, count)
                    if done is not None:
                        return done
            case IFold(size, _, _, _, body):
                count = self._static(size)
                if count is not None and count > 0 and self._small(body, count):
                    loop = self._with_normal_start(term, count)
                    return self._opened(loop, unrolled(loop))
        return super().step(term)

    def _opened(self, loop: Build | Reduce | IFold, term: Term) -> Term:  # noqa: ARG002  (optimise/recorded.py keeps the loop)
        """Normalise a term that unrolling made of a loop, all of whose substitutions are done."""
        self.progress = True
        return self.again(term)

    def _static(self, size: Term) -> int | None:
        size = self.run(size)
        if isinstance(size, Const) and 0 < size.value <= self.policy.unrolled:
            return int(size.value)
        return None

    def _small(self, body: Term, count: int) -> bool:
        """Does unrolling make no large term?  One copy is no larger than the loop."""
        return count == 1 or (size_of_tree(body) * count <= thresholds.GROWTH and not _has_symbolic_loop(body))

    def _unroll(self, loop: Build | Reduce, count: int) -> Term | None:
        """What is made of a loop: of its copies, or, if these are too large, itself with a normal body; None if it stays."""
        if count > 1 and _has_symbolic_loop(loop.body):
            return None
        fresh, saved = self.enter(loop.index)
        self.facts.ranges[fresh] = Const(count)
        self.changed.add(fresh)
        self.facts.kept_symbolic.add(fresh)
        new = self.run(loop.body)
        self.facts.kept_symbolic.discard(fresh)
        del self.facts.ranges[fresh]
        self.leave(loop.index, fresh, saved)
        is_small = self._small(new, count)
        if not is_small and new is loop.body:
            return None
        size = Const(count)
        normal = Build(size, fresh, new) if isinstance(loop, Build) else Reduce(loop.reduction, size, fresh, new)
        if not is_small:
            return normal
        for var, _ in _invariant(fresh, new)[0]:
            self.occurrences.uses.pop(var, None)
        return self._opened(normal, unrolled(normal))

    def _with_normal_start(self, loop: IFold, count: int) -> IFold:
        """The loop with its first state normal, and what is to be substituted in the body substituted."""
        init = self.run(loop.init)
        body = substitute(loop.body, self.env) if self.env else loop.body
        return IFold(Const(count), init, loop.state, loop.index, body)


def unrolled(loop: Build | Reduce | IFold) -> Term:
    """The copies of the body of a loop over a number; definitions that are the same in each come before."""
    assert isinstance(loop.size, Const)
    counted = [Const(k) for k in range(int(loop.size.value))]
    if isinstance(loop, IFold):
        bindings: list[tuple[Var, Term]] = []
        current = loop.init
        for k in counted:
            name = loop.state.renamed()
            bindings.append((name, current))
            current = refresh(substitute(loop.body, {loop.state: name, loop.index: k}))
        return let(bindings, current)
    hoisted, rest = _invariant(loop.index, loop.body)
    copies = [substitute1(rest, loop.index, k) for k in counted]
    if isinstance(loop, Build):
        return let(hoisted, Vector(tuple(copies)))
    return let(hoisted, _combined(p.add if loop.reduction is Reduction.SUM else p.multiply, copies))


def _is_summed_in_registers(body: Term) -> bool:
    """Are the arrays in it, if any, small: displays, or one element in an array of a small known size?"""
    result = body.body if isinstance(body, Let) else body
    return all([_is_small(part) for part in (result.items if isinstance(result, MakeTuple) else (result,))])


def _is_small(part: Term) -> bool:
    match part:
        case Delta(Const(size), _, value):
            return size <= thresholds.SUMMED_DISPLAY and not has_array(value.type)
        case Plus(items):
            return all(map(_is_small, items))
        case _:
            return not has_array(part.type) or written_out(part) is not None


def _combined(operation: p.Primitive, copies: list[Term]) -> Term:
    """All copies added or multiplied, tuples component by component, arrays as wholes."""
    if isinstance(copies[0].type, Array):
        return Plus(tuple(copies))
    if not isinstance(copies[0].type, Tuple):
        total = copies[0]
        for copy in copies[1:]:
            total = Prim(operation, (total, copy))
        return total
    names = [Var("part", copy.type) for copy in copies]
    count = len(copies[0].type.items)
    items = [_combined(operation, [Proj(name, k) for name in names]) for k in range(count)]
    return let(list(zip(names, copies, strict=True)), MakeTuple(tuple(items), copies[0].type))


def _invariant(index: Var, body: Term) -> tuple[list[tuple[Var, Term]], Term]:
    """The definitions at the top of a loop body that do not depend on the loop, and the rest of the body."""
    if not isinstance(body, Let):
        return [], body
    varying = {index}
    outside, inside = [], []
    for var, value in body.bindings:
        if varying.isdisjoint(value.free):
            outside.append((var, value))
        else:
            varying.add(var)
            inside.append((var, value))
    return outside, let(inside, body.body)


def _has_symbolic_loop(body: Term) -> bool:
    for term in subterms(body):
        if is_loop(term):
            sizes = [step.given for step in steps(term) if isinstance(step.field, Index | Generators) and step.var]
            if not sizes or not all([isinstance(size, Const) for size in sizes]):
                return True
    return False

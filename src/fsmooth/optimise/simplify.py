"""The simplifier: normalisation by rules, with inlining decided by weights and small static loops unrolled.

It is the engine of `rewrite.normaliser` with two policies on top of the rules:

scopes   each definition is inlined, split into its components, narrowed, dropped or kept (design §5: inline
         when evaluations after x weight <= evaluations before x (weight + store) + loads, by core/cost.py);
loops    a loop over a small static size is unrolled (design §6), invariant definitions first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from fsmooth.core import primitives as p
from fsmooth.core.cost import Costs
from fsmooth.core.subst import refresh, substitute, substitute1
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import size_of_tree, subterms
from fsmooth.core.types import Array, Function, Int, Tuple, leaf_of
from fsmooth.optimise.occurrences import Occurrences, Uses
from fsmooth.optimise.rules.guards import are_exclusive, guarded_parts, sum_of_parts
from fsmooth.optimise.rules.lambda_calculus import beta
from fsmooth.optimise.rules.loop_fission import narrowed
from fsmooth.optimise.tuples_of_arrays import array_components, chosen, is_written_out, with_components, zipped_array
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule
from fsmooth.rewrite.trace import Trace


class Fusion(Enum):
    """When is an array that has a name inlined where it is read?"""

    NEVER = "never"
    PAYS = "if that costs less"
    ALWAYS = "always"


@dataclass(frozen=True)
class Policy:
    """What the simplifier may do beyond the rules."""

    fusion: Fusion = Fusion.PAYS
    fission: bool = True
    unroll: int = 32
    growth: int = 20_000
    inline_nodes: int = 300


def simplify(
    term: Term,
    rules: Iterable[Rule],
    policy: Policy,
    trace: Trace | None = None,
    static_sizes: Mapping[tuple[Var, int], int] | None = None,
    passes: int = 6,
) -> Term:
    """Simplify until nothing changes, at most `passes` times."""
    family = tuple(rules)
    trace = trace if trace is not None else Trace()
    for _ in range(passes):
        walk = Simplifier(family, policy, Occurrences(term), trace)
        walk.facts.static_sizes = static_sizes or {}
        new = walk.run(term)
        if new is term or not walk.progress:
            return new
        term = new
    return term


Item = tuple[Var, Term] | Require
Opened = list[tuple[Var, Var | None, Term | None]]


class Simplifier(Normaliser):
    """One walk."""

    def __init__(self, rules: Iterable[Rule], policy: Policy, occurrences: Occurrences, trace: Trace) -> None:
        super().__init__(rules, trace)
        self.policy = policy
        self.occurrences = occurrences
        self.costs = Costs()
        self.progress = False

    def finish(self, term: Term) -> Term:
        before = self.steps
        result = super().finish(term)
        if self.steps != before:
            self.progress = True
        return result

    # -- scopes ----------------------------------------------------------------------------------------------------

    def scope(self, term: Let) -> Term:
        """Decide about each definition in turn; what is kept becomes the new scope."""
        kept: list[Item] = []
        opened: Opened = []
        undo: list[list[tuple[object, bool | None]]] = []
        for var, value in term.bindings:
            uses = self.occurrences.get(var)
            if uses is not None and uses.count == 0 and uses.lengths == 0:
                self.progress = True
                continue
            value = self.run(value)
            while isinstance(value, Let | Require):
                self.progress = True
                if isinstance(value, Require):
                    kept.append(value)
                    undo.append(self.facts.assume(value.condition, True))
                    value = value.body
                else:
                    if any([v in self.open for v, _ in value.bindings]):
                        value = refresh(value)
                        assert isinstance(value, Let)
                    for v, inner in value.bindings:
                        self._keep(v, inner, kept, opened)
                    value = value.body
            self._bind(var, value, uses, kept, opened)
        body = self.run(term.body)
        if isinstance(body, Let) and kept and any([v in self.open for v, _ in body.bindings]):
            body = refresh(body)
        for conditions in reversed(undo):
            self.facts.forget(conditions)
        for var, fresh, saved in reversed(opened):
            if fresh is not None:
                self.facts.definitions.pop(fresh, None)
                self.leave(var, fresh, saved)
            else:
                self.drop(var)
                if saved is not None:
                    self.put(var, saved)
        return _assemble(kept, body)

    def _replace(self, var: Var, value: Term, opened: Opened) -> None:
        opened.append((var, None, self.env.get(var)))
        self.put(var, value)
        self.progress = True

    def _keep(self, var: Var, value: Term, kept: list[Item], opened: Opened) -> Var:
        fresh, saved = self.enter(var)
        opened.append((var, fresh, saved))
        self.facts.definitions[fresh] = value
        kept.append((fresh, value))
        return fresh

    def _named(self, name: str, value: Term, count: int, uses: Uses | None, kept: list[Item], opened: Opened) -> Term:
        """`value` itself if it need not be bound, else a new variable bound to it."""
        if self._trivial(value) or count == 0:
            return value
        if isinstance(value, MakeTuple | Vector):
            items = [self._named(f"{name}_{k}", item, count, None, kept, opened) for k, item in enumerate(value.items)]
            if isinstance(value, MakeTuple):
                return MakeTuple(tuple(items), value.type)
            value = Vector(tuple(items))
        return self._keep(Var(name, value.type), value, kept, opened)

    def _bind(self, var: Var, value: Term, uses: Uses | None, kept: list[Item], opened: Opened) -> None:
        once = uses is not None and uses.count <= 1 and not uses.in_loop and not isinstance(value, Check)
        value = self._with_named_checks(value, kept, opened)
        match value:
            case _ if self._trivial(value):
                return self._replace(var, value, opened)
            case MakeTuple(items):
                new = []
                for k, item in enumerate(items):
                    count = 2 if uses is None else uses.positions.get(k, 0) + uses.whole
                    if once and isinstance(value, MakeTuple) and count == 1 and size_of_tree(item) < 300:
                        new.append(item)
                    else:
                        new.append(self._named(f"{var.name}_{k}", item, count, None, kept, opened))
                return self._replace(var, MakeTuple(tuple(new), value.type), opened)
            case Delta(size, index, element):
                index = self._named(f"{var.name}_at", index, 2, None, kept, opened)
                element = self._named(f"{var.name}_value", element, 2, None, kept, opened)
                return self._replace(var, Delta(size, index, element), opened)
            case If(condition, then, Zero() as zero) if not isinstance(value.type, Array) and _on_indices(condition):
                then = self._named(f"{var.name}_value", then, 2, None, kept, opened)
                return self._replace(var, If(condition, then, zero), opened)
        parts = guarded_parts(value) if isinstance(value, Prim) else None
        if parts is not None and are_exclusive(parts, self.facts):
            named = [(sign, c, self._named(f"{var.name}_value", x, 2, None, kept, opened)) for sign, c, x in parts]
            return self._replace(var, sum_of_parts(named, value), opened)
        if once and size_of_tree(value) <= self.policy.inline_nodes:
            if self.policy.fusion is not Fusion.NEVER or not isinstance(value.type, Array):
                return self._replace(var, value, opened)
        if isinstance(value, Vector) and not once:
            items = tuple([self._named(f"{var.name}_{k}", i, 2, None, kept, opened) for k, i in enumerate(value.items)])
            self._keep(var, Vector(items), kept, opened)
            return None
        if isinstance(value, Build) and self._fused(value, uses):
            return self._replace(var, value, opened)
        if self.policy.fission and self._divide_sum(var, value, kept, opened):
            return None
        if (
            self.policy.fission
            and isinstance(value, Build)
            and uses is not None
            and self._divide(var, value, uses, kept, opened)
        ):
            return None
        if self.policy.fission and isinstance(value, IFold) and isinstance(value.type, Tuple) and uses is not None:
            if uses.whole == 0 and len(uses.positions) < len(value.type.items):
                narrow = narrowed(value, set(uses.positions))
                if narrow is not None:
                    loop, order = narrow
                    self.trace.record("project_fold")
                    narrow_var = self._keep(Var(var.name, loop.type, var.site), loop, kept, opened)
                    places: dict[int, Term] = {order[0]: narrow_var}
                    if len(order) > 1:
                        places = {k: Proj(narrow_var, j) for j, k in enumerate(order)}
                    initial = value.init.items if isinstance(value.init, MakeTuple) else None
                    if initial is not None:
                        whole = MakeTuple(tuple([places.get(k, i) for k, i in enumerate(initial)]), value.type)
                        return self._replace(var, whole, opened)
        self._keep(var, value, kept, opened)
        return None

    def _with_named_checks(self, value: Term, kept: list[Item], opened: Opened) -> Term:
        """A path with its checks bound to names: they are evaluated where the path was written."""
        match value:
            case Get(array, index):
                new = self._with_named_checks(array, kept, opened)
                if isinstance(index, Check):
                    index = self._keep(Var("at", index.type), index, kept, opened)
                return value if new is array and index is value.index else Get(new, index)
            case Proj(inner, position):
                new = self._with_named_checks(inner, kept, opened)
                return value if new is inner else Proj(new, position)
            case _:
                return value

    def _trivial(self, value: Term) -> bool:
        """Always inlined: constants, variables, paths, sizes, structural zeros, functions."""
        match value:
            case Const() | Var() | Zero() | Lam():
                return True
            case Length(array):
                return self._trivial(array)
            case Proj(inner, _):
                return self._trivial(inner)
            case Get(array, index):
                return self._trivial(array) and self._cheap_index(index)
            case Prim(_, arguments) if isinstance(value.type, Int):
                return size_of_tree(value) <= 9 and all([self._cheap_index(a) for a in arguments])
            case _:
                return isinstance(value.type, Function)

    def _cheap_index(self, index: Term) -> bool:
        match index:
            case Const() | Var():
                return True
            case Length(array):
                return self._trivial(array)
            case Get(array, inner):
                return self._trivial(array) and self._cheap_index(inner)
            case Prim(primitive, arguments):
                cheap = primitive in (p.add, p.subtract, p.multiply, p.negate)
                return cheap and size_of_tree(index) <= 9 and all([self._cheap_index(a) for a in arguments])
            case _:
                return False

    def _virtual(self, value: Term) -> bool:
        """Costs no more than reading it: paths, constants, deltas, and arrays and tuples of those."""
        match value:
            case Build(_, _, body):
                return self._virtual(body)
            case Get(array, Check(index, size)) if self._trivial(array):  # an element of a slice
                return self._cheap_index(index) and self._cheap_index(size)
            case MakeTuple(items):
                return all([self._virtual(item) for item in items])
            case Delta(_, index, element):
                return self._cheap_index(index) and self._virtual(element)
            case Get(Delta() as delta, index):
                return self._virtual(delta) and self._cheap_index(index)
            case If(condition, then, Zero()):
                return _on_indices(condition) and self._virtual(then)
            case _:
                return self._trivial(value)

    def _fused(self, value: Build, uses: Uses | None) -> bool:
        match self.policy.fusion:
            case Fusion.NEVER:
                return False
            case Fusion.ALWAYS:
                return True
            case Fusion.PAYS:
                return self._pays(value, None if uses is None else uses.elements)

    def _pays(self, value: Term, read: float | None) -> bool:
        """Is evaluating the elements that are `read` there cheaper than storing all of them first?"""
        if self._virtual(value):
            return True
        all_stored, stores = self.costs.of(value).at(), self.costs.elements(value).at()
        leaf = leaf_of(value.type)
        count = stores / len(leaf.items) if isinstance(leaf, Tuple) and leaf.items else stores
        each = (all_stored - stores) / count if count else 0.0
        if count and _is_hot(value):
            each = 1.0 + each / count
        if read is None:
            return each <= 2.0
        return read * each <= all_stored + read

    def _divide(self, var: Var, value: Build, uses: Uses, kept: list[Item], opened: Opened) -> bool:
        """An array of tuples some of whose components are better inlined: those are, the others stay an array."""
        if uses.unsplit or not uses.parts:
            return False
        parts = array_components(value)
        if parts is None:
            return False
        stored = [k for k, part in enumerate(parts) if k in uses.parts and not self._pays(part, uses.parts[k])]
        if len(stored) == len(parts):
            return False
        rest: Term | None = None
        if stored:
            array = with_components(value, stored)
            rest = Var(var.name, array.type, var.site)
        whole = zipped_array(value, {k: part for k, part in enumerate(parts) if k not in stored}, stored, rest)
        if whole is None:
            return False
        self.trace.record("array_of_tuples")
        if isinstance(rest, Var):
            self._keep(rest, array, kept, opened)
        self._replace(var, self.again(whole), opened)
        return True

    def _divide_sum(self, var: Var, value: Term, kept: list[Item], opened: Opened) -> bool:
        """A sum of tuples with sparse parts: each of these is a sum of its own, which can lose its loop."""
        match value:
            case Reduce(Reduction.SUM, size, index, body) if isinstance(value.type, Tuple) and is_written_out(body):
                parts = [chosen(body, (k,)) for k in range(len(value.type.items))]
            case _:
                return False
        sparse = [k for k, part in enumerate(parts) if _is_guarded(part)]
        dense = [k for k in range(len(parts)) if k not in sparse]
        if not sparse:
            return False
        self.trace.record("project_sum")
        places: dict[int, Term] = {}
        for group in [*[[k] for k in sparse], *([dense] if dense else [])]:
            loop = self.again(Reduce(Reduction.SUM, size, index, chosen(body, tuple(group))))
            name = f"{var.name}_{group[0]}" if len(group) == 1 else var.name
            bound = self._named(name, loop, 2, None, kept, opened)
            places |= {k: bound if len(group) == 1 else Proj(bound, j) for j, k in enumerate(group)}
        self._replace(var, MakeTuple(tuple([places[k] for k in range(len(parts))]), value.type), opened)
        return True

    # -- loops -----------------------------------------------------------------------------------------------------

    def step(self, term: Term) -> Term:
        match term:
            case App(Lam()) if beta in self.by_head.get(App, ()):  # before the body is walked in ignorance
                applied = beta.apply(term, self.facts)
                assert applied is not None
                self.trace.record(beta.name)
                self.progress = True
                return self.run(applied)
            case Build(size, index, body):
                count = self._static(size)
                if count is not None and count > 0:
                    done = self._unroll(count, index, body)
                    if isinstance(done, list):
                        hoisted, copies = self._split(done)
                        return self._opened(let(hoisted, Vector(tuple(copies))))
                    if done is not None:
                        return Build(Const(count), done[0], done[1])
            case Reduce(Reduction.SUM | Reduction.PRODUCT as reduction, size, index, body):
                count = self._static(size)
                if count is not None and count > 1 and not isinstance(body.type, Array):
                    done = self._unroll(count, index, body)
                    if isinstance(done, list):
                        hoisted, copies = self._split(done)
                        operation = p.add if reduction is Reduction.SUM else p.multiply
                        return self._opened(let(hoisted, _combined(operation, copies)))
                    if done is not None:
                        return Reduce(reduction, Const(count), done[0], done[1])
            case IFold(size, init, state, index, body):
                count = self._static(size)
                if count is not None and count > 0 and self._small(body, count):
                    return self._opened(self._unrolled_fold(count, self.run(init), state, index, body))
        return super().step(term)

    def _opened(self, term: Term) -> Term:
        """Normalise a term that unrolling made, all of whose substitutions are done."""
        self.progress = True
        return self.again(term)

    def _static(self, size: Term) -> int | None:
        size = self.run(size)
        if isinstance(size, Const) and 0 < size.value <= self.policy.unroll:
            return int(size.value)
        return None

    def _small(self, body: Term, count: int) -> bool:
        return size_of_tree(body) * count <= self.policy.growth and not _has_symbolic_loop(body)

    def _unroll(self, count: int, index: Var, body: Term) -> list[Term] | tuple[Var, Term] | None:
        """The copies of the body (each a term in the current scope), or the loop's normal index and body."""
        if _has_symbolic_loop(body):
            return None
        fresh, saved = self.enter(index)
        self.facts.ranges[fresh] = Const(count)
        self.facts.kept_symbolic.add(fresh)
        new = self.run(body)
        self.facts.kept_symbolic.discard(fresh)
        del self.facts.ranges[fresh]
        self.leave(index, fresh, saved)
        if not self._small(new, count):
            return None if new is body else (fresh, new)
        return self._copies(count, fresh, new)

    def _copies(self, count: int, index: Var, body: Term) -> list[Term]:
        hoisted, rest = _invariant(index, body)
        for var, _ in hoisted:
            self.occurrences.uses.pop(var, None)
        copies = [let(hoisted, Const(0))] if hoisted else [Const(0)]
        return [copies[0], *[substitute1(rest, index, Const(k)) for k in range(count)]]

    @staticmethod
    def _split(done: list[Term]) -> tuple[tuple[tuple[Var, Term], ...], list[Term]]:
        first = done[0]
        return (first.bindings if isinstance(first, Let) else ()), done[1:]

    def _unrolled_fold(self, count: int, init: Term, state: Var, index: Var, body: Term) -> Term:
        body = substitute(body, self.env) if self.env else body
        bindings: list[tuple[Var, Term]] = []
        current: Term = init
        for k in range(count):
            name = state.renamed()
            bindings.append((name, current))
            current = refresh(substitute(body, {state: name, index: Const(k)}))
        return let(bindings, current)


def _combined(operation: p.Primitive, copies: list[Term]) -> Term:
    """All copies added or multiplied, tuples component by component."""
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
        match term:
            case Build(size) | Reduce(_, size) | IFold(size):
                if not isinstance(size, Const):
                    return True
            case _:
                continue
    return False


def _is_hot(array: Term) -> bool:
    """Is only the element at one index not zero?"""
    if not isinstance(array, Build):
        return False
    body = array.body
    while isinstance(body, Let):
        body = body.body
    match body:
        case If(Prim(primitive, (a, b)), _, Zero()) if primitive is p.equal:
            return a is array.index or b is array.index
        case _:
            return False


def _is_guarded(term: Term) -> bool:
    """Is it zero but where a condition holds?"""
    while isinstance(term, Let):
        term = term.body
    return isinstance(term, Zero) or (isinstance(term, If) and isinstance(term.otherwise, Zero))


def _on_indices(condition: Term) -> bool:
    match condition:
        case Prim(primitive, (a, _)) if primitive is p.equal:
            return isinstance(a.type, Int)
        case _:
            return False


def _assemble(kept: list[Item], body: Term) -> Term:
    bindings: list[tuple[Var, Term]] = []
    for item in reversed(kept):
        if isinstance(item, Require):
            inner = let(tuple(reversed(bindings)), body)
            body = Require(item.condition, inner, item.failure, item.numbers, item.site)
            bindings = []
        else:
            bindings.append(item)
    return let(tuple(reversed(bindings)), body)

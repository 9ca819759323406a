"""lmFold applied, forwards and in reverse (paper 001, Fig. 13–15).

Forwards the primal loop runs again beside the tangents.  In reverse its states are stored on the way and walked back:
each is computed once (Fig. 15 keeps them on the stack of its recursion).
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import bind, zero_like
from fsmooth.core.term import App, Build, Const, Get, IFold, MakeTuple, Prim, Proj, Term, Update, Var, let
from fsmooth.core.term.linear_maps import Apply, ApplyReverse, FoldMap
from fsmooth.core.types import INT, Array, Tuple
from fsmooth.core.vectors import add
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

_KINDS = " where e : Float and x : Float and f : (Float, Float) ⊸ Float"


@rule(
    "lmApply (lmFold (fun (s : Float) (i : Int) -> e s i) (fun (s : Float) (i : Int) -> f s i) x n) a"
    " ~> let d = a in snd (ifold (fun t k -> ((fun (s : Float) (i : Int) -> e s i) (fst t) k,"
    " lmApply ((fun (s : Float) (i : Int) -> f s i) (fst t) k) (fst d, snd t))) (x, snd d) n)"
    f"{_KINDS} and a : (Float, Float)",
    source="001, Fig. 13, Fig. 14",
    heads=Apply,
)
def apply_fold(t: Term, facts: Facts) -> Term | None:
    """FFold: the primal state and its tangent, step by step."""
    match t:
        case Apply(FoldMap(step, slope, init, size), x):

            def loop(along: Term) -> Term:
                start = MakeTuple((init, Proj(along, 1)))
                both, k = Var("both", start.type), Var("k", INT)
                state, tangent = Proj(both, 0), Proj(both, 1)
                moved = Apply(App(slope, (state, k)), MakeTuple((Proj(along, 0), tangent)))
                return Proj(IFold(size, start, both, k, MakeTuple((App(step, (state, k)), moved))), 1)

            return bind(x, loop, "dx")
    return None


@rule(
    "lmApplyR y (lmFold (fun (s : Float) (i : Int) -> e s i) (fun (s : Float) (i : Int) -> f s i) x n)"
    " ~> let a = x in let m = n in let v = snd (ifold (fun t k -> ((fun (s : Float) (i : Int) -> e s i) (fst t) k,"
    " update (snd t) k (fst t))) (a, build m (fun i -> a)) m) in"
    " ifold (fun t k -> let l = m - 1 - k in let u = lmApplyR (snd t) ((fun (s : Float) (i : Int) -> f s i) v[l] l) in"
    f" (fst t + fst u, snd u)) (zero, y) m{_KINDS}",
    source="001, Fig. 13, Fig. 15",
    heads=ApplyReverse,
)
def reverse_fold(t: Term, facts: Facts) -> Term | None:
    """RFold: (cotangent of the environment, cotangent of the initial state)."""
    match t:
        case ApplyReverse(r, FoldMap(step, slope, init, size)):
            assert isinstance(t.type, Tuple)
            start, n = Var("z", init.type), Var("n", INT)
            states = _states(step, start, n)
            trail = Var("states", states.type)
            going, k = Var("back", t.type), Var("k", INT)
            i = Prim(p.subtract, (Prim(p.subtract, (n, Const(1))), k))
            here = Var("i", INT)
            image = ApplyReverse(Proj(going, 1), App(slope, (Get(trail, here), here)))
            pulled = Var("pulled", image.type)
            body = let(
                ((here, i), (pulled, image)),
                MakeTuple((add(Proj(going, 0), Proj(pulled, 0)), Proj(pulled, 1)), t.type),
            )
            first = MakeTuple((zero_like(Proj(t, 0)), r), t.type)
            return let(((start, init), (n, size), (trail, states)), IFold(n, first, going, k, body))
    return None


def _states(step: Term, start: Term, size: Term) -> Term:
    """The state before each step."""
    trail: Term = Build(size, Var("i", INT), start)
    assert isinstance(trail.type, Array)
    begin = MakeTuple((start, trail))
    both, k = Var("both", begin.type), Var("k", INT)
    state = Proj(both, 0)
    body = MakeTuple((App(step, (state, k)), Update(Proj(both, 1), k, state)))
    return Proj(IFold(size, begin, both, k, body), 1)

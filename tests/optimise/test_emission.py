"""Where shared computations are written."""

from typing import cast

from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT


def test_a_size_is_bound_before_what_is_computed_only_if_its_loop_runs() -> None:
    """`f` leaves the loop under the test `0 < size`, where the size has a name of its own."""
    total = "0.5 + tanh (y + (if 0 < length v then v[n % length v] else 0.25))"
    size = "sum 3 (fun i -> if length u == 3 then 1 else 0)"
    text = f"""fun (u : Array<Float>) (v : Array<Float>) (x : Float) (y : Float) (n : Int) ->
      let size = {size} in
      let saved = build size (fun k -> let t = {total} * tanh (y + 1.0) in (t, t ** sin x)) in
      build ({size}) (fun o ->
        let bar = delta ({size}) o 1.0 in
        sum size (fun k -> bar[k] * select (saved[k].0 == 0.0) 0.0 (saved[k].1 * log (saved[k].0)) * cos x))"""
    program = cast(Lam, parse(text))
    optimised = cast(Lam, DEFAULT(program))
    assert not optimised.free
    values = [
        value_of(v, q.type) for v, q in zip(([1.0, 2.0, 3.0], [0.5], 0.5, 0.25, 0), program.parameters, strict=True)
    ]
    found = [
        plain(evaluate(f.body, dict(zip(f.parameters, values, strict=True))), f.body.type) for f in (program, optimised)
    ]
    assert (found[0] == found[1]).all()  # type: ignore[attr-defined]

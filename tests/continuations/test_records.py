"""How many records there are, what memory they take, and that no depth of calls takes any of the C stack."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.loops import evaluate as loops_evaluate
from fsmooth.loops import tree as t
from fsmooth.loops.continuations import machines
from fsmooth.lower.functions import lower
from tests.continuations.programs import comb, on_tree, product
from tests.recursion.test_saved import PROGRAMS, SHAPES, Tree, chosen, inactive, made, twofold


def run_in_loops(program: Callable[..., float], tree: Tree, called: list[str]) -> list[float]:
    """Its gradient, from the loops that become C; `called` gets the name of the function of each record."""
    compiled = fs.grad(program, wrt="value", method="continuations")
    compiled(*tree.arguments)
    loops = lower(compiled.stages.terms["optimised"], "f")
    group = {f.name for machine in machines(loops.definitions) for f in machine}
    result: list[float | int | bool | None] = [None] * len(tree.value)
    arrays = {"left": tree.left.tolist(), "right": tree.right.tolist(), "value": tree.value.tolist()}
    sizes = {f"{name}_n0": len(tree.value) for name in arrays}
    plain = loops_evaluate._Memory.invoke

    def counting(memory: loops_evaluate._Memory, s: t.Invoke) -> None:
        called.extend([s.function] if s.function in group else [])
        plain(memory, s)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops_evaluate._Memory, "invoke", counting)
        loops_evaluate.evaluate(
            loops.kernel, {**arrays, **sizes, "t": 0, "result": result}, definitions=loops.definitions
        )
    return [x for x in result if x is not None]


@pytest.mark.parametrize("shape", ["balanced", "left comb", "thirds"])
@pytest.mark.parametrize("program", [f for f in PROGRAMS if f not in (inactive, chosen)])
def test_a_record_for_each_activation_on_each_way(program: Callable[..., float], shape: str) -> None:
    """Paper 004 has one for each call site in it, too; here one record is all of these, after the other."""
    tree = made(SHAPES[shape], 12)
    called: list[str] = []
    found = run_in_loops(program, tree, called)
    assert found == pytest.approx(fs.grad(program, wrt="value", method="reverse")(*tree.arguments))
    assert 0 < len(called) <= 2 * 2 * len(tree.value) + 2


def in_thread(run: Callable[[], None], stack: int) -> None:
    """Run in a thread with a small stack, and raise here what it raises."""
    raised: list[BaseException] = []

    def caught() -> None:
        try:
            run()
        except BaseException as error:  # noqa: BLE001  (raised below)
            raised.append(error)

    before = threading.stack_size(stack)
    try:
        thread = threading.Thread(target=caught)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    for error in raised:
        raise error


@pytest.mark.parametrize("n", [1_000, 1_000_000])
def test_a_left_comb_in_a_small_thread(n: int) -> None:
    value, left, right, root = on_tree(comb(n))
    value = 1.0 + (value - 1.0) * 1e-5
    x = 1.0 + 1e-8
    by = fs.value_and_grad(product, wrt=("x", "value"), method="continuations")
    by(x, *on_tree(comb(3)))

    def run() -> None:
        whole = float(np.exp(np.sum(np.log(value)) + (n + 1) * np.log(x)))
        found, (slope, slopes) = by(x, value, left, right, root)
        assert found == pytest.approx(whole, rel=1e-9)
        assert slope == pytest.approx((n + 1) * whole / x, rel=1e-9)
        np.testing.assert_allclose(slopes, whole / value, rtol=1e-9)

    in_thread(run, 65536)


def test_reverse_mode_is_not_taken_instead() -> None:
    arguments = (1.0, *on_tree(comb(3)))
    assert "fs_record" in fs.grad(product, method="continuations").c_source(*arguments)
    assert "fs_record" not in fs.grad(product, method="reverse").c_source(*arguments)


def test_more_than_the_machine_has_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a call that failed took is there for the next one."""
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_MEMORY=100000000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    gradient = fs.grad(product, method="continuations")
    small = on_tree(comb(100))
    expected = fs.grad(product, method="reverse")(1.01, *small)
    for _ in range(2):
        assert gradient(1.01, *small) == pytest.approx(expected, rel=1e-12)
        with pytest.raises(fs.OutOfMemoryError):
            gradient(1.0, *on_tree(comb(2_000_000)))
    calls = fs.grad(twofold, method="continuations")
    assert calls(0.5, 18) == pytest.approx(fs.grad(twofold, method="reverse")(0.5, 18), rel=1e-12)
    with pytest.raises(fs.OutOfMemoryError):
        calls(0.5, 36)

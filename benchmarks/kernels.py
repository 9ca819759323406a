"""The kernels: every workload's contenders alternated in one process on one core; prints JSON on its last line.

A kernel of fsmooth is timed at its C entry with buffers made before, like the hand-written C.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

import fsmooth as fs
from benchmarks import own, programs
from benchmarks.programs import ABLATIONS
from benchmarks.reference import Reference
from benchmarks.timing import Call, alternated
from fsmooth.demo import camera
from fsmooth.demo.problem import load

try:
    from benchmarks import peer_jax
except ImportError:
    peer_jax = None  # type: ignore[assignment]
try:
    from benchmarks import peer_torch
except ImportError:
    peer_torch = None  # type: ignore[assignment]


@dataclass
class Row:
    """One workload at one size: seconds per call of each contender."""

    workload: str
    size: int
    seconds: dict[str, float]
    notes: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A workload at one size: how to make each contender's call, and what the result of each should be."""

    workload: str
    size: int
    makers: dict[str, Callable[[], Call]]
    expected: object = None


_REFERENCE = Reference()


def ours(function: fs.Function, *arguments: object) -> Call:
    """The C entry of a function on prepared arguments; the call gives the result's arrays."""
    return own.kernel(_REFERENCE, function, *arguments)


def cases(quick: bool, reference: Reference) -> Iterator[Case]:
    """All workloads, small sizes first."""
    rng = np.random.default_rng(0)
    dot, largest, scale = fs.grad(programs.dot), fs.grad(programs.largest), fs.jacobian(programs.scale, wrt="s")
    for n in (10, 1000, 100_000) if quick else (10, 100, 1000, 10_000, 100_000, 1_000_000):
        a, b, out = rng.random(n), rng.random(n), np.empty(n)
        c = reference.kernel
        yield _case("(a) ∇dot", n, dot, (a, b), "grad_dot", lambda: c("grad_dot", n, b, out))
        yield _case("(b) ∇max", n, largest, (a,), "grad_max", lambda: c("grad_max", n, a, out))
        yield _case("(d) ∂(v·s)/∂s", n, scale, (a, 2.0), "jacobian_scale", lambda: c("grad_scale", n, a, out))
    for n in (1000,) if quick else (100, 1000, 2000):
        a, b, out = rng.random(n), rng.random(n), np.empty((n, n))
        add = fs.jacobian(programs.add, wrt="a")
        yield _case("(c) ∂(v₁+v₂)/∂v₁", n, add, (a, b), "jacobian_add", lambda: c("jacobian_add", n, out))
    for n in (1000,) if quick else (100, 1000, 3000):
        u, v, A, out = rng.random(n) + 0.5, rng.random(n) + 0.5, rng.random((n, n)) + 0.5, np.empty(n)
        work = np.empty(n)
        case = _case("NNMF ∂u", n, fs.grad(programs.nnmf), (u, v, A), "nnmf", lambda: c("nnmf_direct", n, A, u, v, out))
        case.makers["C, reciprocals"] = lambda: c("nnmf_reciprocals", n, A, u, v, work, out)
        case.makers["fsmooth REAL"] = lambda: ours(fs.grad(programs.nnmf, schedule="REAL"), u, v, A)
        yield case
    cam = np.array([0.1, 0.1, 0.1, 0.2, 0.1, 0.3, 1.2, 0.01, 0.03, 0.009, 1.2e-4])
    project = fs.function(programs.project)
    for n in (10_000,) if quick else (10, 1000, 10_000, 100_000):
        X, out = rng.random((n, 3)) + [0, 0, 2.0], np.empty((n, 2, 11))
        case = _case("project Jacobian", n, project, (cam, X), "project", lambda: c("project_hoisted", n, cam, X, out))
        case.makers["C, SIMD"] = lambda: c("project_blocked", n, cam, X, out)
        yield case
    p = load()
    n = len(p.observed)
    jc, jp, work = np.empty((n, 2, 9)), np.empty((n, 2, 3)), np.empty(36 * len(p.cameras))
    inputs = (p.cameras, p.points, p.camera_of, p.point_of)
    scene = "Ladybug block Jacobian" if p.minimum is None else "block Jacobian of a made scene"
    case = Case(scene, n, {"fsmooth": lambda: ours(camera.blocks, *inputs)})
    case.makers["C"] = lambda: c("bundle_blocks", len(p.cameras), n, *inputs, jc, jp, work)
    if peer_jax:
        case.makers["JAX"] = lambda: peer_jax.kernel(peer_jax.blocks, *inputs)
    yield case
    for n in (30, 100, 300):
        u, v, A = rng.random(n) + 0.5, rng.random(n) + 0.5, rng.random((n, n)) + 0.5
        made = {s: fs.grad(programs.nnmf_by_matrices, schedule=s) for s in ABLATIONS}
        yield _ablation("ablation: NNMF ∂u", n, made, (u, v, A))
    X = rng.random((1000, 3)) + [0, 0, 2.0]
    made = {s: fs.function(programs.project, schedule=s) for s in ABLATIONS}
    yield _ablation("ablation: project Jacobian", 1000, made, (cam, X))


def _case(
    workload: str, n: int, function: fs.Function, arguments: tuple[object, ...], peer: str, c: Callable[[], Call]
) -> Case:
    makers = {"fsmooth": lambda: ours(function, *arguments), "C": c}
    if peer_jax:
        makers["JAX"] = lambda: peer_jax.kernel(getattr(peer_jax, peer), *arguments)
    if peer_torch:
        makers["PyTorch"] = lambda: peer_torch.kernel(getattr(peer_torch, peer), *arguments)
    return Case(workload, n, makers)


def _ablation(workload: str, n: int, functions: dict[str, fs.Function], arguments: tuple[object, ...]) -> Case:
    return Case(workload, n, {s: lambda f=f: ours(f, *arguments) for s, f in functions.items()})  # type: ignore[misc]


def measure(case: Case, runs: int, seconds: float) -> Row:
    """One row of the table; a contender that cannot run is named in the notes, not in the times."""
    calls: dict[str, Call] = {}
    notes: list[str] = []
    first: list[np.ndarray] | None = None
    for name, make in case.makers.items():
        try:
            call = make()
            result = call()
        except Exception as error:  # a peer's failure must not end the measurement of the others
            notes.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200])
            continue
        calls[name] = call
        found = _arrays(result)
        first = found if first is None else first
        if name not in ("C", "C, reciprocals", "C, SIMD"):
            worst = max([_difference(x, y) for x, y in zip(first, found, strict=True)])
            if not worst < 1e-9:
                notes.append(f"{name} differs by {worst:.1e}")
        else:
            worst = max([_difference(x, y) for x, y in zip(first, _outputs(result, first), strict=True)])
            if not worst < 1e-9:
                notes.append(f"{name} differs by {worst:.1e}")
    return Row(case.workload, case.size, alternated(calls, runs, seconds), notes)


def _outputs(held: object, like: list[np.ndarray]) -> list[np.ndarray]:
    """The arrays among a C kernel's arguments that are its results: the last of those with the right shapes."""
    assert isinstance(held, list)
    arrays = [x for x in held if isinstance(x, np.ndarray)]
    return [[x for x in arrays if x.shape == y.shape][-1] for y in like]


def _arrays(result: object) -> list[np.ndarray]:
    if isinstance(result, tuple | list):
        return [x for r in result for x in _arrays(r)]
    return [np.asarray(result)]


def _difference(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.max(np.abs(x - y)) / max(1e-300, float(np.max(np.abs(x)))))


def main() -> None:
    quick = "--quick" in sys.argv
    runs, seconds = (5, 0.01) if quick else (11, 0.03)
    rows = []
    for case in cases(quick, _REFERENCE):
        row = measure(case, runs, seconds)
        rows.append(asdict(row))
        times = "  ".join([f"{k} {v * 1e6:.2f} µs" for k, v in row.seconds.items()])
        print(f"{row.workload} n={row.size}: {times} {' '.join(row.notes)}", file=sys.stderr, flush=True)
    print(json.dumps({"runs": runs, "rows": rows}))


if __name__ == "__main__":
    main()

"""Bundle adjustment: the main job of fsmooth, as a program.

Residuals and model are plain Python (demo/camera.py); their block Jacobian is one fused loop of generated C.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fsmooth.demo.adjustment import Floats, Problem
from fsmooth.demo.problem import load


class Clock:
    """Adds up the time spent in a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.seconds = 0.0

    def __call__(self, *arguments: object, **keywords: object) -> Any:
        start = time.perf_counter()
        try:
            return self.function(*arguments, **keywords)
        finally:
            self.seconds += time.perf_counter() - start


def main(argv: Sequence[str] | None = None) -> int:
    """Solve, show the progress, save the picture; the last line printed has the figures."""
    parser = argparse.ArgumentParser(prog="fsmooth demo bundle-adjustment", description=__doc__)
    parser.add_argument(
        "problem",
        nargs="?",
        help="a BAL problem file, or `made` (default: the Ladybug problem if it can be had, else made)",
    )
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--png", type=Path, default=Path("bundle_adjustment.png"), help="where to put the picture")
    options = parser.parse_args(argv)
    start = time.perf_counter()
    try:
        problem = _chosen(options.problem)
    except (OSError, ValueError) as error:
        print(f"{options.problem or 'the Ladybug problem'} cannot be read as a problem: {error}", file=sys.stderr)
        return 1

    from rich.console import Console  # noqa: PLC0415  (an extra: pip install fsmooth[demo])
    from rich.live import Live  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from fsmooth.demo import camera  # noqa: PLC0415
    from fsmooth.demo.solver import Step, levenberg_marquardt  # noqa: PLC0415

    console = Console()
    n, m, p = len(problem.cameras), len(problem.points), len(problem.observed)
    console.print(problem.name, soft_wrap=True)
    console.print(f"{n} cameras, {m} points, {p} observations; {9 * n + 3 * m} unknowns, {2 * p} residuals")
    where = (problem.camera_of, problem.point_of)
    compiling = time.perf_counter()
    camera.blocks(problem.cameras, problem.points, *where)
    before = camera.residuals(problem.cameras, problem.points, *where, problem.observed)
    compiling = time.perf_counter() - compiling
    buffers = camera.blocks(problem.cameras, problem.points, *where)
    residuals = Clock(lambda c, x: camera.residuals(c, x, *where, problem.observed))
    derivatives = Clock(lambda c, x: camera.blocks(c, x, *where, out=buffers))

    table = Table("iteration", "cost", "damping", "gain", "step")
    with Live(table, console=console, refresh_per_second=8):

        def report(step: Step) -> None:
            gain = f"{step.gain:.3f}" if step.iteration else ""
            taken = "taken" if step.accepted else "refused"
            table.add_row(str(step.iteration), f"{step.cost:.6e}", f"{step.damping:.1e}", gain, taken)

        cameras, points, steps = levenberg_marquardt(problem, residuals, derivatives, options.iterations, report)
    if not console.is_terminal:
        console.print()  # the table that is left in a file does not end its line
    after = residuals.function(cameras, points)
    total = time.perf_counter() - start
    draw(before, after, options.png)
    console.print(f"picture: {options.png}")
    if problem.minimum is not None:
        above = steps[-1].cost / problem.minimum - 1.0
        console.print(f"its minimum is {problem.minimum:.6e}: the final cost is {above:.1e} of it above")
    print(
        f"final cost {steps[-1].cost:.6e} after {steps[-1].iteration} iterations in {total:.2f} s, "
        f"of which derivatives {derivatives.seconds:.3f} s, residuals {residuals.seconds:.3f} s, "
        f"compiling {compiling:.2f} s"
    )
    return 0


def _chosen(name: str | None) -> Problem:
    if name != "made":
        return load(name)
    from fsmooth.demo.scene import made  # noqa: PLC0415  (scipy is an extra)

    return made().start


def draw(before: Floats, after: Floats, path: Path) -> None:
    """The reprojection errors before and after, as points and as a distribution."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra)

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    limit = 12.0
    for axis, errors, title in ((axes[0], before, "before"), (axes[1], after, "after")):
        axis.plot(errors[:, 0], errors[:, 1], ",", alpha=0.5)
        axis.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal", title=f"reprojection errors {title}")
        axis.set(xlabel="x (pixels)", ylabel="y (pixels)")
    bins = np.geomspace(1e-3, 1e3, 80)
    for errors, title in ((before, "before"), (after, "after")):
        length = np.hypot(errors[:, 0], errors[:, 1])
        axes[2].hist(length, bins, histtype="step", label=f"{title}: median {np.median(length):.2f}")
    axes[2].set(xscale="log", xlabel="length (pixels)", ylabel="observations", title="lengths")
    axes[2].legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)

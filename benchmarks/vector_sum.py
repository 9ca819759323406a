"""The benchmark of paper 002, §6: the gradient of a sum in forward mode, of an array that the program makes.

Three versions, n from 2500 to 50000: nothing optimised (`NONE`), a strategy with the paper's rules, and fsmooth's own
schedule.  `python -m benchmarks.vector_sum` prints the table and writes results/vector_sum.md; with matplotlib also the
paper's kind of plot.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fsmooth as fs
from fsmooth import strategies as st

SIZES = (2500, 5000, 10000, 20000, 40000, 50000)
RESULTS = Path(__file__).parent / "results"

RULES = (
    *(st.beta, st.let_subst(1), st.get_build, st.length_build, st.let_out_of_argument),
    *(st.project_tuple, st.project_sum, st.get_delta, st.sum_single),
)
PAPER = (
    st.normalise(st.beta | st.let_subst(1))
    >> st.differentiate("forward")
    >> st.normalise(st.choice(*RULES))
    >> st.share
)
VERSIONS: dict[str, st.Schedule | st.Strategy] = {
    "not optimised": st.NONE,
    "the paper's rules": PAPER,
    "DEFAULT": st.DEFAULT,
}


def vector_sum(n):
    v = np.array([1.0 for _ in range(n)])
    return fs.grad(lambda w: sum(w[i] for i in range(len(w))), method="forward")(v)


def measured(f: Callable[[int], object], n: int, runs: int) -> float:
    """The median of so many calls, in seconds; short ones are repeated for a millisecond."""
    f(n)
    start = time.perf_counter()
    f(n)
    repeats = max(1, min(1000, int(1e-3 / max(1e-9, time.perf_counter() - start))))
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        for _ in range(repeats):
            f(n)
        times.append((time.perf_counter() - start) / repeats)
    return statistics.median(times)


def table(times: dict[str, list[float]], runs: int) -> str:
    """Times in ms, and by how much each grows as n doubles."""
    lines = [
        "# The vector sum of paper 002, §6",
        "",
        "The gradient in forward mode of the sum of an array that the program makes, in ms: medians of "
        f"{runs} runs (`python -m benchmarks.vector_sum`). The last column is what twice the size takes, on average from 2500 to "
        "40000.",
        "",
        f"| version | {' | '.join(map(str, SIZES))} | twice the size |",
        f"|---|{'---|' * (len(SIZES) + 1)}",
    ]
    for version, row in times.items():
        cells = [f"{t * 1e3:.3g}" for t in row]
        lines.append(f"| {version} | {' | '.join(cells)} | {(row[4] / row[0]) ** 0.25:.1f} × |")
    return "\n".join(lines) + "\n"


def plotted(times: dict[str, list[float]], file: Path) -> None:
    """Runtime against size, as Fig. 3 of the paper."""
    from matplotlib import pyplot  # noqa: PLC0415  (an extra)

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.5))
    for axis, chosen in zip(axes, (times, {k: v for k, v in times.items() if k != "not optimised"}), strict=True):
        for version, row in chosen.items():
            axis.plot(SIZES, [t * 1e3 for t in row], marker="o", label=version)
        axis.set_xlabel("n")
        axis.set_ylabel("ms")
        axis.legend()
    figure.tight_layout()
    figure.savefig(file)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    times: dict[str, list[float]] = {}
    for version, schedule in VERSIONS.items():
        f = fs.function(vector_sum, schedule=schedule)
        np.testing.assert_array_equal(f(7), np.ones(7))
        times[version] = [measured(f, n, options.runs) for n in SIZES]
    text = table(times, options.runs)
    print(text)
    (options.output / "vector_sum.md").write_text(text)
    if importlib.util.find_spec("matplotlib") is not None:
        plotted(times, options.output / "vector_sum.png")


if __name__ == "__main__":
    main()

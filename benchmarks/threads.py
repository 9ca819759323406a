"""Two threads, and more where there are processors, against one, and against no chunks.

`python -m benchmarks.threads [--quick]` prints JSON on its last line.

Not pinned to a core.  Calls through Python; where the machine has other work, ratios say how much of a second one there was.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.flat import arrays_of
from benchmarks.keeping import keep
from benchmarks.mechanisms.programs import programs
from benchmarks.programs import project
from benchmarks.tensors.programs import layers
from benchmarks.timing import alternated, fastest
from fsmooth.api import known_schedule

WORKLOADS = (
    "ba, primal",
    "ba, derivative",
    "gmm, primal",
    "gmm, derivative",
    "gmm, 32 dimensions, derivative",
    "kmeans, derivative",
    "llsq, derivative",
    "lse, derivative",
    "nnmf, both factors, primal",
    "nnmf, both factors, derivative",
)
THREADS = (1, 2, 3, 7)
AT_ONCE = (2, *[n for n in (4, 8) if n <= (os.cpu_count() or 1)])
RUNS, SECONDS = 41, 0.01


class Apart:
    """Calls while another process makes the same calls: what a second processor has to give to a program."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.other = os.fork()
        while self.other == 0:
            call()
        os.kill(self.other, signal.SIGSTOP)

    def __call__(self) -> None:
        self.repeated(1)

    def repeated(self, times: int) -> None:
        """So many calls."""
        os.kill(self.other, signal.SIGCONT)
        for _ in range(times):
            self.call()
        os.kill(self.other, signal.SIGSTOP)

    def end(self) -> None:
        """The other process ends."""
        os.kill(self.other, signal.SIGKILL)
        os.waitpid(self.other, 0)


def measured(name: str, make: Any, arguments: tuple[Any, ...], *, quick: bool) -> dict[str, Any]:
    """A row: seconds of calls without chunks and on one thread and more, the medians and the fewest; are the bits the same?"""
    plain = make()
    on = {n: type(plain)(plain.program, known_schedule(plain.schedule, n)) for n in {*THREADS, *AT_ONCE}}
    results = {_bits(f(*arguments)) for f in on.values()}
    plain(*arguments)
    calls: dict[str, Callable[[], Any]] = {f"{n}": lambda n=n: on[n](*arguments) for n in (1, *AT_ONCE)}
    apart = Apart(lambda: plain(*arguments))
    calls = {"plain": lambda: plain(*arguments), **calls, "apart": apart}
    runs = 5 if quick else RUNS
    row = {
        "program": name,
        "median": alternated(calls, runs, SECONDS),
        "fewest": fastest(calls, runs, SECONDS),
        "same": len(results) == 1,
    }
    apart.end()
    print(row, file=sys.stderr, flush=True)
    return row


def recurrence(x: Any) -> Any:
    """One processor's work, in registers."""
    s = 0.5
    for v in x:
        s = s * (1.5 - s) + v * 0.1
    return s


def averages(x: Any) -> Any:
    """Rows that go on from one another, each column by itself."""
    y = np.zeros((len(x), len(x[0])))
    for i in range(1, len(x)):
        for j in range(len(x[0])):
            y[i, j] = np.tanh(0.9 * y[i - 1, j] + x[i, j])
    return y


def product(a: Any, b: Any) -> Any:
    """By itself."""
    return a @ b


def _bits(result: object) -> bytes:
    return b"".join([array.tobytes() for array in arrays_of(result)])


def rows(*, quick: bool) -> Iterator[dict[str, Any]]:
    """All of them."""
    x = np.linspace(0.0, 1.0, 1_000 if quick else 1_000_000)
    yield measured("a recurrence", lambda: fs.function(recurrence), (x,), quick=quick)
    for program in programs():
        if program.name in WORKLOADS:
            yield measured(program.name, program.make, program.arguments, quick=quick)
    rng = np.random.default_rng(0)
    n = 1_000 if quick else 20_000
    cam, points = rng.normal(size=11), rng.normal(size=(n, 3)) + [0.0, 0.0, 5.0]
    yield measured(f"project, Jacobian, {n}", lambda: fs.jacobian(project), (cam, points), quick=quick)
    rows_of = rng.normal(size=(20, 2_000) if quick else (500, 2_000))
    yield measured("averages, column by column", lambda: fs.function(averages), (rows_of,), quick=quick)
    for size in (64,) if quick else (512, 1024):
        square = rng.normal(size=(size, size)), rng.normal(size=(size, size))
        yield measured(f"product of {size} x {size}", lambda: fs.function(product), square, quick=quick)
    size = 64 if quick else 512
    given = (*[rng.normal(size=(size, size)) / np.sqrt(size) for _ in range(3)], rng.normal(size=size))
    given = (*given, rng.normal(size=(size, size)), rng.normal(size=(size, size)))
    make = lambda: fs.grad(layers, wrt=("u", "v", "w", "b"))  # noqa: E731
    yield measured(f"three layers, gradient, {size}", make, given, quick=quick)


def table(found: list[dict[str, Any]], *, quick: bool) -> str:
    """The table, kept unless it was quick."""
    more = [n for n in AT_ONCE if n > 2]
    lines = [
        "# Threads",
        "",
        f"`python -m benchmarks --only threads` on {platform.machine()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}.  Calls through Python,",
        f"alternated, medians of {RUNS} runs and the fewest seconds of as many; other work of the machine takes from the second",
        "processor first.  *Apart*: calls without threads, while another process makes them too, against one after the other:",
        "what two processors have to give to this program.  *Same bits*: of results on 1, 2, 3 and 7 threads.",
        "",
        "| program | without (ms) | one thread / without | without / two threads | fewest: without / two threads | apart |"
        + "".join([f" without / {n} threads |" for n in more])
        + " same bits |",
        "|---|--:|--:|--:|--:|--:|" + "--:|" * len(more) + "---|",
        *[_line(row, more) for row in found],
    ]
    text = "\n".join(lines) + "\n"
    return text if quick else keep("threads", found, text)


def _line(row: Mapping[str, Any], more: Sequence[int]) -> str:
    median, fewest = row["median"], row["fewest"]
    on_more = "".join([f" {median['plain'] / median[str(n)]:.2f} |" if str(n) in median else " |" for n in more])
    same = "yes" if row["same"] else "**no**"
    return (
        f"| {row['program']} | {median['plain'] * 1e3:.3g} | {median['1'] / median['plain']:.2f} | "
        f"{median['plain'] / median['2']:.2f} | {fewest['plain'] / fewest['2']:.2f} | "
        f"{2 * median['plain'] / median['apart']:.2f} |{on_more} {same} |"
    )


def main() -> None:
    print(json.dumps(list(rows(quick="--quick" in sys.argv))))


if __name__ == "__main__":
    main()

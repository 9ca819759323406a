"""The measurements as a Markdown table, JSON and the paper's kind of plots."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from benchmarks.keeping import RESULTS, keep
from benchmarks.programs import ABLATIONS


def save(result: Mapping[str, Any], command: str) -> str:
    """Write results.json, results.md, workloads.png and ablations.png; gives the text of the second."""
    text = keep("results", result, text_of(result, command))
    _plots(result["rows"])
    return text


def text_of(result: Mapping[str, Any], command: str) -> str:
    """The table."""
    lines = [
        "# Measurements",
        "",
        f"`{command}` on {platform.machine()}, Python {platform.python_version()}, one core (`taskset`).",
        f"Medians of {result['runs']} alternated runs; fsmooth's kernels at the C entry, buffers reused.",
        "Ratios are fsmooth's time divided by the other's: below 1 fsmooth is faster.  JAX and PyTorch are timed through",
        "their Python calls, the only entry they have, so that at small n their column is the cost of a call.",
        "",
        "| workload | n | fsmooth (µs) | C (µs) | / C | / best C | / JAX | / PyTorch | notes |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in result["rows"]:
        times = row["seconds"]
        if "fsmooth" not in times:
            continue
        mine = times["fsmooth"]
        best = min([t for name, t in times.items() if name.startswith("C")], default=None)
        ratios = [_ratio(mine, t) for t in (times.get("C"), best, times.get("JAX"), times.get("PyTorch"))]
        own = f"{times['C'] * 1e6:.4g}" if "C" in times else "–"
        extra = [f"REAL schedule {times['fsmooth REAL'] * 1e6:.1f} µs"] if "fsmooth REAL" in times else []
        notes = "; ".join(extra + row["notes"]).replace("|", "\\|")
        lines.append(
            f"| {row['workload']} | {row['size']} | {mine * 1e6:.4g} | {own} | {' | '.join(ratios)} | {notes} |"
        )
    lines += [
        "",
        f"| ablation (µs) | n | {' | '.join(ABLATIONS)} | notes |",
        "|---|--:|" + "--:|" * len(ABLATIONS) + "---|",
    ]
    for row in result["rows"]:
        if row["workload"].startswith("ablation"):
            times = [row["seconds"].get(s) for s in ABLATIONS]
            cells = " | ".join([f"{t * 1e6:.1f}" if t is not None else "–" for t in times])
            notes = "; ".join(row["notes"]).replace("|", "\\|")
            lines.append(f"| {row['workload'].removeprefix('ablation: ')} | {row['size']} | {cells} | {notes} |")
    lines += ["", "| what a user waits for | |", "|---|---:|"]
    for name, value in result["cold"].items():
        lines.append(f"| {name} | {value if isinstance(value, str) else f'{value:.4g}'} |")
    missing = [name for name in ("JAX", "PyTorch") if not any([name in r["seconds"] for r in result["rows"]])]
    if missing:
        lines += ["", f"Not installed here, therefore not measured: {', '.join(missing)}."]
    return "\n".join(lines) + "\n"


def _ratio(mine: float, other: float | None) -> str:
    return f"{mine / other:.3g}" if other else "–"


def _plots(rows: list[dict[str, Any]]) -> None:
    try:
        import matplotlib as mpl  # noqa: PLC0415  (an extra)
    except ImportError:
        return
    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    workloads = [w for w in dict.fromkeys([r["workload"] for r in rows]) if not w.startswith("ablation")]
    figure, axes = plt.subplots(2, 4, figsize=(16, 7), layout="constrained")
    for axis, workload in zip(axes.flat, workloads, strict=False):
        found = [r for r in rows if r["workload"] == workload]
        for name in dict.fromkeys([k for r in found for k in r["seconds"]]):
            points = [(r["size"], r["seconds"][name]) for r in found if name in r["seconds"]]
            axis.loglog(*zip(*points, strict=True), "o-", label=name)
        axis.set(title=workload, xlabel="n", ylabel="seconds")
        axis.legend(fontsize=7)
    for axis in list(axes.flat)[len(workloads) :]:
        axis.set_visible(False)
    figure.savefig(RESULTS / "workloads.png", dpi=110)
    plt.close(figure)
    ablations = [r for r in rows if r["workload"].startswith("ablation")]
    workloads = list(dict.fromkeys([r["workload"] for r in ablations]))
    figure, axes = plt.subplots(1, max(1, len(workloads)), figsize=(10, 4), layout="constrained", squeeze=False)
    for axis, workload in zip(axes.flat, workloads, strict=False):
        found = [r for r in ablations if r["workload"] == workload]
        for row in found:
            axis.plot(list(row["seconds"]), list(row["seconds"].values()), "o-", label=f"n = {row['size']}")
        axis.set(yscale="log", ylabel="seconds", title=workload)
        axis.legend()
    figure.savefig(RESULTS / "ablations.png", dpi=110)
    plt.close(figure)

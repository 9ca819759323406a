"""How many checks the programs of the benchmarks have, and how many are tested while they run, by kind and by when:
`python -m benchmarks.checks`; first of the workloads and their derivatives alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchmarks.mechanisms.programs import Program, programs
from fsmooth.checks import Checked, When


def main() -> None:
    found = [(program, list(program.make().checks(*program.arguments))) for program in programs()]
    report("the workloads and their derivatives", [(q, c) for q, c in found if is_workload(q)])
    print()
    report("all programs", found)


def is_workload(program: Program) -> bool:
    """Is it a workload, or the derivative of one?"""
    return program.name.endswith((", primal", ", derivative"))


def report(what: str, found: Iterable[tuple[Program, list[Checked]]]) -> None:
    """How many there are of each kind; what is asked of the arguments at entry is counted apart."""
    programs_ = list(found)
    checks = [check for _, each in programs_ for check in each]
    kinds = Counter([(check.tested, check.what) for check in checks])
    tested = [check for check in checks if check.tested > When.AT_ENTRY]
    print(f"{what}: {len(checks)} checks in {len(programs_)} programs")
    for when in When:
        of_this = {kind: count for (tested_, kind), count in kinds.items() if tested_ is when}
        split = ", ".join([f"{count} {kind}" for kind, count in sorted(of_this.items(), key=lambda x: -x[1])])
        print(f"{sum(of_this.values()):6} {when}{f': {split}' if split and when is not When.PROVED else ''}")
    print(f"{len(tested):6} tested after the arguments were looked at")


if __name__ == "__main__":
    main()

"""How many checks the programs of the benchmarks have, and how many are tested while they run, by kind and by when:
`python -m benchmarks.checks`.
"""

from __future__ import annotations

from collections import Counter

from benchmarks.mechanisms.programs import programs


def main() -> None:
    written = 0
    tested: Counter[tuple[str, str]] = Counter()
    for program in programs():
        found = program.make().checks(*program.arguments)
        written += len(found)
        tested.update([(check.what, str(check.tested)) for check in found.remaining])
    for (what, when), count in tested.most_common():
        print(f"{count:5}  {what}, {when}")
    print(f"{tested.total():5}  of {written} in all")


if __name__ == "__main__":
    main()

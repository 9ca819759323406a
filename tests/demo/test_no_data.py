"""No data of others are in the repository, and so not in what is installed either."""

from pathlib import Path

from benchmarks.workloads import files

from fsmooth.demo.problem import LADYBUG

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks", "docs", "examples", "tools")
PACKED = {".bz2", ".csv", ".dat", ".gz", ".mat", ".npy", ".npz", ".parquet", ".pickle", ".tar", ".xz", ".zip"}
OWN = {"tests/errors/messages.txt", "tests/runtime/edits.txt", "tests/trees/messages.txt"}


def _published() -> set[str]:
    paths = [
        LADYBUG.path,
        *[files.published(f"{w}/{name}").path for w in ("ba", "gmm", "hand", "lstm") for name in files.names(w)],
    ]
    return {Path(path).name for path in paths}


def test_no_data_of_others_is_in_the_tree() -> None:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert len(found) > 500
    assert [path for path in found if path.suffix in PACKED or path.name in _published()] == []
    texts = {str(path.relative_to(ROOT)) for path in found if path.suffix == ".txt"}
    assert texts == OWN

"""A reverse derivative that needs more memory than there is: an error that says what to do, and the process goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs


def long_recurrence(x, n):  # type: ignore[no-untyped-def]
    s = x
    for _ in range(n):
        s = fs.sin(s) * fs.exp(s)
    return s


@pytest.mark.parametrize("n", [10**16, 2**60 + 5])
def test_what_to_do_is_said(n: int) -> None:
    gradient = fs.grad(long_recurrence, method="reverse")
    with pytest.raises(fs.OutOfMemoryError) as caught:
        gradient(0.5, n)
    assert str(caught.value) == (
        "there is not enough memory for the temporaries of this call\n"
        "  hint: give it less at a time; long loops save less in reverse derivatives with checkpoint=True, and nothing with method='forward'"
    )
    assert np.isfinite(gradient(0.5, 3))


def test_forward_mode_saves_nothing() -> None:
    forward, reverse = [fs.grad(long_recurrence, method=m)(0.5, 50) for m in ("forward", "reverse")]
    assert forward == pytest.approx(reverse, rel=1e-12)
    assert "no array is stored but the results" in fs.grad(long_recurrence, method="forward").explain(0.5, 50)


def test_what_a_pullback_keeps() -> None:
    pull = fs.vjp(long_recurrence)
    with pytest.raises(fs.OutOfMemoryError) as caught:
        pull(0.5, 10**16)
    assert str(caught.value) == (
        "there is not enough memory for what the pullback keeps of this call\n"
        "  hint: loops save less with checkpoint=True, nothing in forward mode: fs.jvp"
    )
    value, back = pull(0.5, 3)
    assert np.isfinite(value)
    assert np.isfinite(back(1.0))


def test_more_than_the_machine_has_in_pieces_that_malloc_would_promise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two arrays of 80 MB where there are 100: an error before either is written, so that nothing kills the process."""
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_MEMORY=100000000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    gradient = fs.grad(long_recurrence, method="reverse")
    with pytest.raises(fs.OutOfMemoryError, match="checkpoint=True"):
        gradient(0.5, 10**7)
    assert np.isfinite(gradient(0.5, 3))

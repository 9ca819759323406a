"""The pool's place among those that threadpoolctl finds and limits, beside BLAS and OpenMP's (`pip install threadpoolctl`)."""

from __future__ import annotations

PREFIX = "libfsmooth_pool-"
"""How the name of the pool's shared object begins, which it is found by."""


def known_to_threadpoolctl() -> None:
    """Let `threadpoolctl.threadpool_limits(limits=…)` limit programs with `threads=` too, if that package is there."""
    try:
        import threadpoolctl  # noqa: PLC0415  (for the first program that runs on threads)
    except ImportError:
        return

    class Pool(threadpoolctl.LibController):  # type: ignore[misc]
        """What `threadpoolctl.threadpool_info()` says of the pool."""

        user_api = internal_api = "fsmooth"
        filename_prefixes = (PREFIX,)

        def get_num_threads(self) -> int:
            """How many threads a region has at most."""
            return int(self.dynlib.fs_pool_threads())

        def set_num_threads(self, num_threads: int) -> None:
            """Limit all regions, also of programs with a number of threads of their own."""
            self.dynlib.fs_pool_allow(num_threads)

        def get_version(self) -> None:
            """The pool has none."""

    threadpoolctl.register(Pool)

"""What the interpreter raises where compiled programs report an error."""

from __future__ import annotations

from fsmooth.core.term import Failure, Site


class OutOfBounds(IndexError):
    """A `Check` failed."""

    def __init__(self, site: Site, index: int, size: int) -> None:
        super().__init__(f"index {index} is out of bounds for {site.what or 'an array'} of size {size}")
        self.site, self.numbers = site, (index, size)


class RequirementFailed(ValueError):
    """A `Require` failed."""

    def __init__(self, failure: Failure, site: Site, numbers: tuple[int, ...]) -> None:
        super().__init__(f"{failure.value} {numbers} {site.what}")
        self.failure, self.site, self.numbers = failure, site, numbers

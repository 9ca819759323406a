"""Everything of Python that elaboration reads, recorded where it is read (design §7).

A reading is the way to an object from one that was known before, and what was found there.  A later process goes the
same ways; if it finds the same at each, elaboration would do there what it did here, so that what was made of it serves.
The program and the arguments are known from the start; whatever else elaboration comes upon must have been read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from msgspec import Struct

from fsmooth.core.trees import Registered, records
from fsmooth.core.types import Type
from fsmooth.core.weak import weakness
from fsmooth.frontend.descriptions import Descriptions, is_described_whole
from fsmooth.frontend.lookup import Lookup, Step
from fsmooth.frontend.programs import Program
from fsmooth.frontend.python.kinds import type_of_object
from fsmooth.frontend.python.source import Source

Where = tuple[int, tuple[Step, ...]]
"""The number of an object, and the steps from there."""

Ways = list[tuple[Where, bool]]
"""Where elaboration has read, in order, and whether it read only the type of what is there."""


class BuiltIn(Struct, frozen=True):
    """What was read and can change in this process too, so that it is compared at each call; and what it was."""

    fetch: Lookup
    value: object


class Readings:
    """What has been read of Python so far, and a digest of what was found."""

    def __init__(self, program: Program, arguments: Mapping[str, Type | object]) -> None:
        self.ways: Ways = []
        self.built_in: list[BuiltIn] = []
        self.is_complete = True
        """Can a later process tell whether it finds the same?"""
        self._descriptions = Descriptions()
        self._hash = hashlib.sha256()
        self._seen: set[tuple[object, ...]] = set()
        self._compared: set[tuple[object, ...]] = set()
        self._describe(program)
        for name, given in arguments.items():
            self._add(name)
            if isinstance(given, Type):
                self._add(repr(given), weakness(given))
                self._describe_records(given)
            else:
                self._describe(getattr(given, "value", given))

    # -- recording ---------------------------------------------------------------------------------------------------

    def found(self, fetch: Lookup, value: object) -> None:
        """`value` was read there, as far as its description goes; its parts are read in their turn."""
        if self._is_new(fetch, "value"):
            self._describe(value)

    def compared(self, fetch: Lookup, value: object) -> None:
        """`value` was read there, and a change is seen at the next call in this process too."""
        self.found(fetch, value)
        if fetch.place() not in self._compared:
            self._compared.add(fetch.place())
            self.built_in.append(BuiltIn(fetch, value))

    def at_run_time(self, fetch: Lookup, value: object) -> None:
        """A number or an array was found there, which is read anew at each call: only its type is built in."""
        if self._is_new(fetch, "type"):
            self._add(*_type_description(value))

    def known(self, value: object) -> Lookup | None:
        """The object itself as the beginning of a way, if it has been read."""
        return Lookup(value) if self._descriptions.number(value) is not None else None

    def read_text(self, source: Source) -> None:
        """The text of a function was read: of one that has been found, and described by the code made of that text."""
        if not source.is_own and (self._descriptions.number(source.function) is None or not source.is_of_code):
            self.is_complete = False

    def require_equality(self, *values: object) -> None:
        """Values were compared: of what is not described whole, that must be a question of which objects they are."""
        if not all([is_described_whole(value) for value in values]):
            self.is_complete = False

    def _is_new(self, fetch: Lookup, what: str) -> bool:
        key = (id(fetch.start), fetch.steps, what)
        if key in self._seen:
            return False
        self._seen.add(key)
        where = self.where(fetch)
        if where is None:
            self.is_complete = False
            return False
        self.ways.append((where, what == "type"))
        self._add(where, what)
        return True

    def _describe(self, *values: object) -> None:
        try:
            self._add(*[self._descriptions.of(value) for value in values])
        except Exception:  # what cannot be described, and what the user's own properties raise
            self.is_complete = False

    def _describe_records(self, type_: Type) -> None:
        """The classes in a type; of registered ones, elaboration runs code of the user's."""
        found = records(type_)
        self.is_complete = self.is_complete and not any([isinstance(record, Registered) for record in found])
        self._describe(*found)

    def _add(self, *parts: object) -> None:
        for part in parts:
            self._hash.update(repr(part).encode())
            self._hash.update(b"\0")

    # -- comparing ---------------------------------------------------------------------------------------------------

    def digest(self) -> str:
        """The same for processes that read the same and find the same."""
        return self._hash.hexdigest()

    def where(self, fetch: object) -> Where | None:
        """A way as a later process can go it."""
        number = self._descriptions.number(fetch.start) if isinstance(fetch, Lookup) else None
        return None if number is None else (number, fetch.steps)  # type: ignore[attr-defined]

    def lookup(self, where: Where) -> Lookup:
        """The way that another process has gone, here."""
        number, steps = where
        return Lookup(self._descriptions.objects[number], *steps)


def read_again(program: Program, arguments: Mapping[str, Type | object], ways: Ways) -> Readings | None:
    """What is found here on the ways that another process has gone; None where they do not lead anywhere."""
    readings = Readings(program, arguments)
    try:
        for where, only_type in ways:
            fetch = readings.lookup(where)
            if only_type:
                readings.at_run_time(fetch, fetch())
            else:
                readings.found(fetch, fetch())
    except Exception:  # of the user's own code too: properties, and what annotations are made of
        return None
    return readings if readings.is_complete else None


def _type_description(value: object) -> tuple[object, ...]:
    type_ = type_of_object(value)
    if type_ is None:
        return ("none",)
    return (repr(type_), weakness(type_))

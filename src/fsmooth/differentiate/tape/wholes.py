"""What goes on a tape as a whole: regions, and the arguments of calls whose numbers have ids that follow each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from fsmooth.core.build import get, nested_build, whole_of
from fsmooth.core.shape import shape_of
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Get,
    Header,
    Let,
    MakeTuple,
    Proj,
    RecordRegion,
    Reduce,
    Term,
    Var,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, Array, Float, Tuple
from fsmooth.differentiate.activity import Activity
from fsmooth.differentiate.encoding import IDS, second
from fsmooth.differentiate.paired import Paired
from fsmooth.differentiate.tape.definitions import refuse_data
from fsmooth.differentiate.tape.kept import taken_apart
from fsmooth.differentiate.tape.numbering import id_at, numbered, part_first
from fsmooth.differentiate.tape.origins import Given, Origins
from fsmooth.differentiate.tape.regions import Regions, may_be_part, region_of, sizes_of, way_back

Whole = tuple[Term, Term]
"""A value, and the id of its first number: those of the others follow."""


class Wholes(Paired):
    """The clauses of D⟦·⟧ for parts of a program that are one entry, and for calls."""

    pairs = IDS

    def __init__(
        self, active: dict[Var, Term], shared: frozenset[Term], activity: Activity, regions: Regions, origins: Origins
    ) -> None:
        super().__init__(active, shared, activity)
        self.regions = regions
        self.origins = origins

    @abstractmethod
    def definition(self, header: Header, known: tuple[Given, ...]) -> Header:
        """D of a definition, for arguments of which this is known."""

    def header(self, header: Header, active: tuple[bool, ...]) -> Header:
        raise AssertionError("calls hand on more than what varies")

    def call(self, term: Call) -> Term:
        """A call of a definition that knows where its arguments come from: of parts of the arguments it gets the first id."""
        refuse_data(term, self.is_active)
        known: list[Given] = []
        handed_on: list[Term] = []
        for argument in term.arguments:
            varies = self.is_active(argument)
            part = self.origins.part(argument) if isinstance(argument.type, Array | Tuple) else None
            known.append(Given(varies, part, part is None and self.origins.is_own(argument)))
            handed_on.append(self.of(argument) if varies and part is None else self.p(argument))
            if varies and part is not None:
                first_id = self.first_of(argument)
                assert first_id is not None
                handed_on.append(first_id)
        return Call(self.definition(term.header, tuple(known)), tuple(handed_on))

    def first_at(self, path: Term) -> Term | None:
        """The id of a number of what has ids that follow each other."""
        root = path
        while isinstance(root, Get | Proj):
            root = root.array if isinstance(root, Get) else root.tuple
        found = self.origins.first.get(root) if isinstance(root, Var) else None
        return None if found is None else id_at(path, found, self.p)

    def first_of(self, path: Term) -> Term | None:
        """The id of the first number of a path, if those of all follow each other."""
        root, positions = whole_of(path)
        found = self.origins.first.get(root) if isinstance(root, Var) else None
        return None if found is None else part_first(self.p(root), positions, found)

    # -- regions ---------------------------------------------------------------------------------------------------

    def region(self, term: Term) -> Whole | None:
        """The value of a part of the program that is one entry, and the id of its first number; None if it is none."""
        ways = self.regions.ways
        if ways is None or not any([isinstance(t, Build | Reduce) and self.is_active(t) for t in subterms(term)]):
            return None
        if not may_be_part(term) or any([t in self.known for t in subterms(term)]):
            return None
        found = region_of(term, self.origins, self.is_active)
        if found is None:
            return None
        arguments = tuple([self.p(x.term) for x in found.reads])
        both = self.bound("region", App(found.halves.forward, arguments))
        value = Proj(both, 0)
        row = Var("row", Array(F64))
        sizes = sizes_of(value, row)
        places = tuple([self.ids(x.term) for x in found.placed])
        back, saved = way_back(found, places, sizes, row)
        count = len(found.halves.backward.parameters) - len(found.halves.kept) - 1
        kept = [*[self.p(x.term) for x in saved], *[Proj(Proj(both, 1), k) for k in range(count)]]
        given = (*[self.bound("kept", part) for x in kept for part in taken_apart(x)], *sizes.terms)
        first_id = self.bound("first", RecordRegion(len(ways), sizes.count, places, given))
        where = tuple([self.regions.first(x.part) for x in found.known if x.part is not None])
        ways.append((MakeTuple(where), back))
        return value, first_id

    def ids(self, term: Term) -> Term:
        """The id of a number, or of the first of an array if they follow each other; else the array of the ids."""
        found = self.first_of(term)
        if found is not None:
            return found
        value = self.of(term)
        if isinstance(term.type, Float):
            return second(value)
        return nested_build(tuple([self.p(n) for n in shape_of(term)]), lambda at: second(get(value, *at)), "d")

    def rest(self, bindings: Sequence[tuple[Var, Term]], body: Term) -> tuple[list[tuple[Var, Term]], Term | None]:
        """Of a scope, the names after which the rest may be a region, and that."""
        count = len(bindings)
        while count and may_be_part(bindings[count - 1][1]):
            count -= 1
        if count == len(bindings) or not may_be_part(body):
            return list(bindings), None
        return list(bindings[:count]), Let(tuple(bindings[count:]), body)

    def deeper(self, make: Callable[[], Term]) -> Term:
        """What is made in each step of a loop."""
        self.origins.depth += 1
        made = make()
        self.origins.depth -= 1
        return made

    # -- names -----------------------------------------------------------------------------------------------------

    def name_whole(self, var: Var, value: Term, first_id: Term) -> None:
        """From here on a variable stands for the value of a region."""
        if isinstance(var.type, Float):
            self.scope.append((var, value))
            self.active[var] = MakeTuple((var, first_id))
            return
        own = Var(var.name, value.type, var.site)
        self.scope.append((own, value))
        self.active[var] = numbered(own, first_id)
        self.primal.add(var, own)
        self.origins.first[var] = first_id
        self.origins.made[var, ()] = self.origins.depth

    def name_path(self, var: Var, path: Term) -> None:
        """From here on a variable stands for what a path does."""
        first_id = self.first_of(path)
        if first_id is not None:
            self.origins.first[var] = first_id
        self.origins.note(var, path)
        self.active[var] = self.of(path)
        self.primal.add(var, self.p(path))

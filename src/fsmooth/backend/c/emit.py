"""Loops to C99: functions, statements, and the prelude with what they use (design §7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fsmooth.backend.c import blas
from fsmooth.backend.c import helpers as h
from fsmooth.backend.c.built_in import refused
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.frames import Structs, returns_frames, uses_frames
from fsmooth.backend.c.functions import FunctionWriter
from fsmooth.backend.c.leaving import Returned
from fsmooth.backend.c.machines import MachineWriter
from fsmooth.backend.c.outlined import Outlined, beside, unit
from fsmooth.backend.c.parallel import PROTOTYPE, SETTER
from fsmooth.backend.c.prelude import headed
from fsmooth.backend.c.products import blas_setter, kernels
from fsmooth.backend.c.program import CProgram
from fsmooth.backend.c.shared import Shared
from fsmooth.backend.c.signature import signature
from fsmooth.backend.c.tape import PROTOTYPES, RETAINED
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.types import Array, Tuple, Type, unzipped
from fsmooth.loops import tree as t
from fsmooth.loops.continuations import machines
from fsmooth.loops.lifetimes import with_shared_memory
from fsmooth.loops.memory import Memory
from fsmooth.loops.storage import storable
from fsmooth.loops.usage import walk


class Written(Struct, frozen=True):
    """The functions of a program as C, without the prelude: `features` are the parts of that they need."""

    texts: Sequence[str]
    features: set[str]
    functions: Sequence[t.Function]
    statements: int
    outlined: Sequence[Outlined]

    @property
    def source(self) -> str:
        """All of them."""
        return "\n".join(self.texts)


def emit(program: t.Program, built_in: Mapping[str, int] | None = None) -> CProgram:
    """The C translation unit of a loops program; the sizes that are `built_in` are tested, if they are given by their names."""
    expressions = ExpressionWriter()
    main, shared_memory = with_shared_memory(program.kernel)
    functions = [main] if program.shape is None else [main, program.shape]
    guards = [line for name, size in (built_in or {}).items() for line in refused(name, size)]
    written = write(program, functions, expressions, guards=guards)
    features = written.features
    texts = [*written.texts]
    if "tape_kept" in features:
        texts.append(RETAINED.replace("NAME", program.name))
    if "parallel" in features:
        texts.append(SETTER.replace("NAME", program.name))
    if blas.FEATURE in features:
        texts.append(blas_setter(features).replace("NAME", program.name))
    arguments = [q.name for q in program.kernel.parameters if q.pointer and not q.output]
    numbers = [
        q.name for q in program.kernel.parameters if not q.pointer and q.name not in program.kernel.facts.lengths
    ]
    results = [q.name for q in program.kernel.parameters if q.output]
    source = headed("\n".join(texts), expressions, features)
    deciding, deciding_results, deciding_numbers = [
        frozenset([k for k, name in enumerate(names) if name in program.deciding]) - own
        for names, own in (
            (arguments, own_arrays(program.parameters)),
            (results, frozenset()),
            (numbers, frozenset()),
        )
    ]
    return CProgram(
        program.name,
        source,
        _header(program, functions, _others(program.name, features)),
        program.parameters,
        program.result,
        program.sites,
        (*program.notes, *[f"arrays {', '.join(arrays)} share memory" for arrays in shared_memory]),
        written.statements,
        deciding,
        deciding_results,
        deciding_numbers,
        frozenset([k for k, name in enumerate(arguments) if name in program.sizing]) - own_arrays(program.parameters),
        storable(program),
        kernels(features),
        "parallel" in features,
        tuple([headed(unit(part), expressions, {*part.features}) for part in written.outlined]),
        blas.FEATURE in features,
    )


def write(
    program: t.Program,
    functions: Sequence[t.Function],
    expressions: ExpressionWriter,
    memory: Memory = Memory.HEAP,
    linkage: str = "",
    guards: Sequence[str] = (),
) -> Written:
    """The `functions` of a program that are called from outside, which have this `linkage` and begin with the `guards`, and those
    that they call.
    """
    structs = Structs(program.name)
    groups = machines(program.definitions)
    returned = Returned.of(program) if program.definitions and not groups else None
    shared = Shared(program, returned)
    own = shared if shared.declarations and not groups else None  # machines have a place of their own for that
    entries = frozenset([f.name for f in (*program.definitions, *functions)]) - _only_inside(groups, program)
    texts = [f"{signature(function, own, returned)};\n" for function in program.definitions if function.name in entries]
    statements = 0
    features: set[str] = set()
    frames = uses_frames((*program.definitions, *functions))
    returning = frozenset([f.name for f in program.definitions if returns_frames(f)])
    outlined: list[Outlined] = []
    for group in groups:
        machine = MachineWriter(group, entries, expressions, structs, returning if frames else None)
        texts.append(machine.text())
        statements += machine.statements
        features |= machine.features
        outlined += machine.outlined
    apart = {f for group in groups for f in group}
    for function in (*[f for f in program.definitions if f not in apart], *functions):
        called = frozenset() if function.is_called else frozenset(features)
        writer = FunctionWriter(expressions, structs, returning if frames else None, called, own, returned, memory)
        if not function.is_called:
            writer.linkage, writer.guards = linkage, guards
        text = writer.function(function)
        texts += [*writer.parts, text]
        statements += writer.statements
        features |= writer.features | writer.needed
        outlined += writer.outlined
    if not features.isdisjoint(("tape", "tape_read")):
        features |= {"arena", "tape"}
    if outlined:
        texts.insert(0, beside(outlined))
    if own is not None:
        texts.insert(0, own.text())
    if returned is not None and returned.pairs:
        texts.insert(0, returned.text())
    if frames:
        texts.insert(0, structs.text())
    return Written(texts, features, functions, statements, outlined)


def _only_inside(groups: Sequence[Sequence[t.Function]], program: t.Program) -> set[str]:
    """The functions of machines that no function outside of theirs calls."""
    machine_of = {f.name: k for k, group in enumerate(groups) for f in group}
    found = set(machine_of)
    shape = () if program.shape is None else (program.shape,)
    for f in (*program.definitions, program.kernel, *shape):
        for s in walk(f.body):
            if isinstance(s, t.Invoke) and machine_of.get(s.function) != machine_of.get(f.name, -1):
                found.discard(s.function)
    return found


def own_arrays(parameters: tuple[Type, ...]) -> frozenset[int]:
    """Which array arguments, counted by themselves, nobody can write to: those that say where the nodes of trees are."""
    steady = [own for type_ in parameters for own in _steady(unzipped(type_))]
    return frozenset([k for k, own in enumerate(steady) if own])


def _steady(type_: Type) -> Iterator[bool]:
    if isinstance(type_, Array):
        yield False
    elif isinstance(type_, Tuple):
        record = type_.record
        for k, item in enumerate(type_.items):
            if isinstance(record, Nodes) and isinstance(item, Array):
                yield k == 0 or record.declaration.is_structure(k - 1)
            else:
                yield from _steady(item)


def _others(name: str, features: set[str]) -> str:
    """The prototypes of what is there beside the program and its shapes."""
    found = [PROTOTYPES] if "tape_kept" in features else []
    found += [PROTOTYPE] if "parallel" in features else []
    found += [blas.PROTOTYPE] if blas.FEATURE in features else []
    return "".join(found).replace("NAME", name)


def _header(program: t.Program, functions: list[t.Function], others: str) -> str:
    guard = f"FS_{program.name.upper()}_H"
    prototypes = "".join([f"{signature(function)};\n" for function in functions]) + others
    return (
        f"#ifndef {guard}\n#define {guard}\n#include <stdbool.h>\n#include <stdint.h>\n"
        f'#ifdef __cplusplus\n#define restrict __restrict\nextern "C" {{\n#endif\n{h.ERROR}'
        f"{prototypes}#ifdef __cplusplus\n}}\n#undef restrict\n#endif\n#endif\n"
    )

"""Loops to C99: functions, statements, and the prelude with what they use (design §7)."""

from __future__ import annotations

from fsmooth.backend.c import helpers as h
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.prelude import prelude
from fsmooth.backend.c.program import CProgram
from fsmooth.backend.c.signature import signature
from fsmooth.backend.c.statements import StatementWriter
from fsmooth.backend.c.tape import PROTOTYPES, RETAINED
from fsmooth.loops import tree as t


def emit(program: t.Program) -> CProgram:
    """The C translation unit of a loops program."""
    expressions = ExpressionWriter()
    functions = [program.kernel] if program.shape is None else [program.kernel, program.shape]
    texts, statements = [f"{signature(function)};\n" for function in program.definitions], 0
    features: set[str] = set()
    for function in (*program.definitions, *functions):
        writer = StatementWriter(expressions, frozenset() if function.is_called else frozenset(features))
        texts.append(writer.function(function))
        statements += writer.statements
        features |= writer.features
    if not features.isdisjoint(("tape", "tape_read")):
        features |= {"arena", "tape"}
    if "tape_kept" in features:
        texts.append(RETAINED.replace("NAME", program.name))
    arguments = [q.name for q in program.kernel.parameters if q.pointer and not q.output]
    numbers = [
        q.name for q in program.kernel.parameters if not q.pointer and q.name not in program.kernel.facts.lengths
    ]
    results = [q.name for q in program.kernel.parameters if q.output]
    source = prelude(expressions, features) + "\n" + "\n".join(texts)
    return CProgram(
        program.name,
        source,
        _header(program, functions, PROTOTYPES.replace("NAME", program.name) if "tape_kept" in features else ""),
        program.parameters,
        program.result,
        program.sites,
        program.notes,
        statements,
        *[
            frozenset([k for k, name in enumerate(names) if name in program.deciding])
            for names in (arguments, results, numbers)
        ],
    )


def _header(program: t.Program, functions: list[t.Function], others: str) -> str:
    guard = f"FS_{program.name.upper()}_H"
    prototypes = "".join([f"{signature(function)};\n" for function in functions]) + others
    return (
        f"#ifndef {guard}\n#define {guard}\n#include <stdbool.h>\n#include <stdint.h>\n"
        f'#ifdef __cplusplus\n#define restrict __restrict\nextern "C" {{\n#endif\n{h.ERROR}'
        f"{prototypes}#ifdef __cplusplus\n}}\n#undef restrict\n#endif\n#endif\n"
    )

"""The command line: `fsmooth demo …`, `emit`, `build` and `explore FILE:FUNCTION` or `FILE.ft:PROGRAM`, `rules`, `cache …`."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fsmooth.core.types import BOOL, F32, F64, INT, Type, array_of
from fsmooth.errors import ArgumentError

if TYPE_CHECKING:
    from fsmooth.frontend.programs import Program
    from fsmooth.optimise.schedule import Schedule


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit status."""
    argv = sys.argv[1:] if argv is None else list(argv)
    if argv[:2] == ["demo", "bundle-adjustment"]:
        from fsmooth.demo.bundle_adjustment import main as demo  # noqa: PLC0415  (needs the extra `demo`)

        try:
            return demo(argv[2:])
        except ModuleNotFoundError as error:
            print(f"{error.msg}; the demo needs more: pip install 'fsmooth[demo]'", file=sys.stderr)
            return 1
    from fsmooth import Error, __version__  # noqa: PLC0415  (so that --help is quick)

    parser = argparse.ArgumentParser(prog="fsmooth", description="F smooth for Python.")
    parser.add_argument("--version", action="version", version=f"fsmooth {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo_parser = commands.add_parser("demo", help="run a complete program")
    demo_parser.add_argument("name", choices=["bundle-adjustment"])
    emit = commands.add_parser("emit", help="print what a function becomes")
    emit.add_argument("target", metavar="FILE:FUNCTION", help="of a Python file, or of a text: FILE.ft:PROGRAM")
    emit.add_argument(
        "--stage", default="C", choices=["definition", "derivative", "optimised", "C", "futhark", "linear-maps"]
    )
    emit.add_argument("--schedule", help='the name of a schedule, or "module:NAME" or FILE.ft:NAME of one of yours')
    emit.add_argument(
        "types", nargs="*", help="a type for each argument: float, int, bool, float[], float[][], int[], …"
    )
    build = commands.add_parser(
        "build", help="write a C library with a function and its derivatives, and what builds it"
    )
    build.add_argument("target", metavar="FILE:FUNCTION", help="of a Python file, or of a text: FILE.ft:PROGRAM")
    for verb in _VERBS:
        build.add_argument(
            f"--{verb}",
            nargs="?",
            const="",
            action="append",
            default=[],
            metavar="PARAMETER",
            help=f"with the {verb.replace('-', ' ')}, by the first parameter if none is named",
        )
    build.add_argument("--types", nargs="*", default=[], help="a type for each argument, as emit has them")
    build.add_argument("--memory", choices=["heap", "caller"], default="heap", help="whose memory calls work in")
    build.add_argument("--batch", action="store_true", help="with a function for many elements of each, NAME_many")
    build.add_argument("--profile", choices=["full", "plain"], default="full", help="plain: C99 and nothing else")
    build.add_argument("--name", help="of the library; else that of the function")
    build.add_argument("--no-compile", action="store_true", help="write the C, but no .so and .a")
    build.add_argument("-o", dest="folder", default=".", metavar="FOLDER", help="where the files go")
    explore = commands.add_parser("explore", help="write a page to look at: what a function goes through")
    explore.add_argument("target", metavar="FILE:FUNCTION", help="of a Python file, or of a text: FILE.ft:PROGRAM")
    of = explore.add_mutually_exclusive_group()
    for verb in _VERBS:
        of.add_argument(
            f"--{verb}",
            nargs="?",
            const="",
            metavar="PARAMETER",
            help=f"the {verb.replace('-', ' ')} instead, by the first parameter if none is named",
        )
    explore.add_argument("--types", nargs="*", default=[], help="a type for each argument, as emit has them")
    explore.add_argument("-o", dest="file", metavar="FILE", help="where the page goes; else NAME.html")
    commands.add_parser("rules", help="list the rewrite rules")
    cache = commands.add_parser("cache", help="the compiled programs on disk")
    cache.add_argument("action", choices=["info", "clear"])
    options = parser.parse_args(argv)
    try:
        return _COMMANDS[options.command](options)
    except Error as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


def _emit(options: argparse.Namespace) -> int:
    from fsmooth import driver, function  # noqa: PLC0415

    chosen = function(_target(options.target))
    schedule = chosen.schedule
    if options.schedule:
        schedule = _schedule(options.schedule)
    elaborated = driver.to_term(chosen.program, _types(chosen.program, options.types))
    if options.stage == "linear-maps":
        print(driver.Stages(elaborated).demonstration())
        return 0
    stages = driver.compile_program(elaborated, chosen.program.name, schedule)
    assert stages.code is not None
    if options.stage == "futhark":
        from fsmooth.backend.futhark.program import text_of  # noqa: PLC0415

        print(text_of(chosen.program.name, stages.terms["optimised"], {}, chosen.__wrapped__), end="")
        return 0
    if options.stage != "C" and options.stage not in stages.terms:
        raise ArgumentError(
            f"{chosen.program.name} has no stage {options.stage!r}; it has {', '.join([*stages.terms, 'C'])}"
        )
    print(stages.code.source if options.stage == "C" else stages.terms[options.stage])
    return 0


def _build(options: argparse.Namespace) -> int:
    import fsmooth as fs  # noqa: PLC0415
    from fsmooth import driver  # noqa: PLC0415
    from fsmooth.shipping.builds import compile_library, write_builds  # noqa: PLC0415
    from fsmooth.shipping.libraries import Given  # noqa: PLC0415

    chosen = fs.function(_target(options.target))
    functions = {chosen.program.name: chosen}
    for verb in _VERBS:
        word = verb.replace("-", "_")
        for wrt in getattr(options, word):
            made = getattr(fs, word)(chosen, wrt or None)
            functions[f"{word}_{chosen.program.name}{f'_{wrt}' if wrt else ''}"] = made
    name = options.name or chosen.program.name
    library = fs.library(name, memory=options.memory, batch=options.batch, profile=options.profile, **functions)
    types = _types(chosen.program, options.types)
    given = [Given(driver.to_term(f.program, types)) for f in library.functions.values()]
    source, header = library.write(Path(options.folder, name), given)
    files = [source, header, *write_builds(source.parent, name)]
    if not options.no_compile:
        files += compile_library(source.parent, name)
    print("\n".join([str(file) for file in files]))
    return 0


def _explore(options: argparse.Namespace) -> int:
    import fsmooth as fs  # noqa: PLC0415
    from fsmooth import driver  # noqa: PLC0415
    from fsmooth.explorer import write  # noqa: PLC0415
    from fsmooth.rewrite.trace import Trace  # noqa: PLC0415

    chosen = fs.function(_target(options.target))
    types = _types(chosen.program, options.types)
    for verb in _VERBS:
        word = verb.replace("-", "_")
        wrt = getattr(options, word)
        if wrt is not None:
            chosen = getattr(fs, word)(chosen, wrt or None)
    name = chosen.program.name
    stages = driver.compile_program(driver.to_term(chosen.program, types), name, chosen.schedule, None, Trace([]))
    print(write(Path(options.file or f"{name}.html"), name, chosen.__wrapped__, chosen.schedule, stages))
    return 0


def _schedule(given: str) -> str | Schedule:
    """A schedule by its name, as "module:NAME", or as FILE.ft:NAME."""
    from fsmooth.api import known_schedule  # noqa: PLC0415

    file, separator, name = given.rpartition(":")
    if separator and file.endswith(_TEXT):
        return known_schedule(_of_text(file, name, "schedule"))
    sys.path.insert(0, str(Path.cwd()))
    return known_schedule(given)


def _of_text(file: str, name: str, what: str) -> Any:
    """What a file of text defines by a name."""
    from fsmooth import Function, text  # noqa: PLC0415

    found = text(Path(file))
    there = [n for n, value in found.items() if isinstance(value, Function) == (what == "program")]
    if name not in there:
        raise ArgumentError(f"{file} has no {what} {name!r}; it has {', '.join(there) or 'none'}")
    return found[name]


def _target(target: str) -> Callable[..., object]:
    """FILE:FUNCTION; of a file FILE.ft, a program of the text."""
    file, separator, name = target.rpartition(":")
    if not separator:
        raise ArgumentError(f"{target} names no function; write FILE:FUNCTION")
    if not Path(file).is_file():
        raise ArgumentError(f"{target}: there is no file {file!r}; write FILE:FUNCTION")
    if file.endswith(_TEXT):
        return cast(Callable[..., object], _of_text(file, name, "program"))
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: object = getattr(module, name, None)
    if not callable(found):
        raise ArgumentError(f"{file} has no function {name!r}")
    return found


def _types(program: Program, texts: Sequence[str]) -> dict[str, Type | object]:
    """The types of the parameters of a program; if none are given, those that a text or annotations say, or float[]."""
    names = list(program.signature.parameters)
    written = {**_annotated_types(program), **_written_types(program)}
    if texts and len(texts) != len(names):
        raise ArgumentError(f"{program.name} takes {len(names)} arguments ({', '.join(names)}), not {len(texts)}")
    if not texts:
        return {n: written.get(n) or _type("float[]") for n in names}
    return {n: _type(t) for n, t in zip(names, texts, strict=True)}


def _written_types(program: Program) -> Mapping[str, Type | None]:
    """The types of parameters that stand in a text."""
    from fsmooth.frontend.text_programs import TextProgram  # noqa: PLC0415
    from fsmooth.library.users_texts import parameter_types  # noqa: PLC0415

    if not isinstance(program, TextProgram):
        return {}
    types = parameter_types(program.definition.text, program.definition.name)
    return dict(zip(program.signature.parameters, types.values(), strict=True))


def _annotated_types(program: Program) -> Mapping[str, Type | None]:
    """The types of parameters that annotations of a Python function say."""
    from fsmooth.frontend.annotations import annotations_of, type_said  # noqa: PLC0415
    from fsmooth.frontend.programs import DerivedProgram, SourceProgram  # noqa: PLC0415

    while isinstance(program, DerivedProgram):
        program = program.program
    if not isinstance(program, SourceProgram):
        return {}
    return {name: type_said(annotation) for name, annotation in annotations_of(program.function).items()}


def _type(text: str) -> Type:
    leaves: dict[str, Type] = {"float": F64, "float32": F32, "int": INT, "bool": BOOL}
    name, rank = text.split("[", maxsplit=1)[0], text.count("[")
    if name not in leaves or text != name + "[]" * rank:
        raise ArgumentError(f"{text!r} is not a type; write float, float32, int or bool, and [] for each dimension")
    return array_of(leaves[name], rank)


def _rules(options: argparse.Namespace) -> int:
    from fsmooth.optimise import linear_maps, schedules  # noqa: PLC0415
    from fsmooth.rewrite.strategy import REGISTRY  # noqa: PLC0415

    for rule in REGISTRY.values():
        print(f"{rule.name:24} {rule.law}   [{rule.source}{', real numbers' if rule.real else ''}]")
    for schedule in (*schedules.SCHEDULES.values(), linear_maps.ELIMINATE, linear_maps.JACOBIAN):
        print(schedule)
    return 0


def _cache(options: argparse.Namespace) -> int:
    from fsmooth.runtime.cache import clear, directory  # noqa: PLC0415

    if options.action == "clear":
        print(f"{clear()} programs removed from {directory()}")
    else:
        files = list(directory().glob("*.so"))
        print(f"{directory()}: {len(files)} programs, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB")
    return 0


_TEXT = ".ft"

_VERBS = ("grad", "value-and-grad", "jacobian", "hessian")

_COMMANDS = {"emit": _emit, "build": _build, "explore": _explore, "rules": _rules, "cache": _cache}

"""`fs.library`: many functions in one C file and one header (decision 40)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fsmooth.api import function
from fsmooth.callables import Function
from fsmooth.core.narrow import Arrays
from fsmooth.errors import ArgumentError
from fsmooth.loops.forms import Extent, Form, Profile
from fsmooth.loops.identifiers import identifier
from fsmooth.loops.memory import Memory
from fsmooth.pullbacks import Vjp

if TYPE_CHECKING:
    from fsmooth.frontend.elaborate import Elaborated

Example = Sequence[Any] | Mapping[str, Sequence[Any]]


class Library:
    """Functions that are written as C together; `fs.library` makes one."""

    def __init__(self, name: str, functions: Mapping[str, Function[..., Any]], form: Form, prefix: str) -> None:
        self.name, self.functions, self.form, self.prefix = name, dict(functions), form, prefix

    def __repr__(self) -> str:
        return f"<fsmooth library {self.name}: {', '.join([self.prefix + x for x in self.functions])}>"

    def save(self, path: str | Path, *, example: Example = ()) -> tuple[Path, Path]:
        """Write `path.c` and `path.h`, for arguments like these; gives both paths.

        `example` are the arguments of every function, or by its name, `{"step": (x, u, 0.1)}`, those of each.

        Raises:
            ArgumentError: if there is no example for a function, or it does not fit.
            UnsupportedError: if nobody can say how much memory a function takes, and the caller has to know.

        """
        return self.write(path, [self._given(x, f, example) for x, f in self.functions.items()])

    def write(self, path: str | Path, given: Sequence[Given]) -> tuple[Path, Path]:
        """The same, for functions with the types of their arguments."""
        source = Path(path).with_suffix(".c")
        text, header = self.sources(given, source.stem)
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
        source.with_suffix(".h").write_text(header, encoding="utf-8")
        return source, source.with_suffix(".h")

    def sources(self, given: Sequence[Given], name: str | None = None) -> tuple[str, str]:
        """The C, which includes the header of this `name`, and the header, for functions with the types of their arguments."""
        from fsmooth.shipping.writing import sources  # noqa: PLC0415  (the compiler is loaded when something is compiled)

        return sources(self, given, name or self.name)

    def _given(self, name: str, f: Function[..., Any], example: Example) -> Given:
        arguments = example.get(name) if isinstance(example, Mapping) else example
        if arguments is None:
            raise ArgumentError(
                f"{self.name}: there is no example for {name}\n"
                f"  hint: example={{{', '.join([f'{x!r}: (…)' for x in self.functions])}}} has arguments for each function"
            )
        entry, values = f._entry(arguments_in(arguments), {})
        return Given(entry.elaborated, entry.static(entry.sizes(entry.inputs(values))), entry.narrow)


def arguments_in(example: object) -> tuple[Any, ...]:
    """The arguments of an example."""
    if not isinstance(example, tuple | list):
        kind = type(example).__name__
        raise ArgumentError(f"the example is a {kind}, and not the arguments\n  hint: example=(x,) for one argument x")
    return tuple(example)


class Given(Struct, frozen=True):
    """What a function is shipped for: its program for the types of its arguments, the sizes that are built in, and the arrays
    that have integers of 32 bits.
    """

    elaborated: Elaborated
    static_sizes: Mapping[tuple[int, int], int] = {}
    narrow: Arrays = frozenset()


_BESIDE = ("_work", "_shape", "_kernel", "_kernel_shape")
"""What is there besides a function, by the ends of the names."""


def library(
    name: str,
    /,
    *functions: Callable[..., Any],
    memory: str = "heap",
    batch: bool = False,
    profile: str = "full",
    **named_functions: Callable[..., Any],
) -> Library:
    """Functions that are written as C together: `.save("lib/robot", example=(x, u, 0.1))` writes `robot.c` and `robot.h`.

    In C they are called `NAME_FUNCTION`; by keyword, `fs.library("robot", slope=fs.grad(f))`, one has a name of its own.  With
    `memory="caller"` they take the memory that they work in from who calls them, and nothing from the system.  With `batch` there
    is a `NAME_FUNCTION_many` for each, which does it for many elements, so far apart as strides say.  With
    `profile="plain"` the C is C99 and nothing else, without goto and restrict, with braces around all that is conditional.

    Raises:
        ArgumentError: for a name that C does not take, two functions of one name, or a memory that does not exist.

    >>> import fsmooth as fs
    >>> def energy(x):
    ...     return sum(x[i] ** 2 for i in range(len(x)))
    >>> fs.library("spring", energy, fs.grad(energy), memory="caller")
    <fsmooth library spring: spring_energy, spring_grad_energy>
    """
    if identifier(name) != name:
        raise ArgumentError(f"{name!r} is no name of C\n  hint: letters, digits and _, such as {identifier(name)!r}")
    form = form_of(memory, batch, profile)
    found: dict[str, Function[..., Any]] = {}
    for own, f in [*[(None, f) for f in functions], *named_functions.items()]:
        if isinstance(f, Vjp):
            raise ArgumentError(
                f"{name}: a vjp gives a function of Python\n  hint: use fs.grad, fs.jacobian or fs.value_and_grad"
            )
        made = f if isinstance(f, Function) else function(f)
        called = identifier(own or made.program.name)
        if called in found:
            raise ArgumentError(
                f"{name}: two functions are called {called}\n  hint: name one of them, fs.library({name!r}, …, other=f)"
            )
        found[called] = made
    beside = (*_BESIDE, "_many") if batch else _BESIDE
    own_names = {"error_text", *[called + suffix for called in found for suffix in beside]}
    for called in own_names & found.keys():
        hint = f"name the function, fs.library({name!r}, …, other=f)"
        raise ArgumentError(f"{name}: {called} is what the library has itself\n  hint: {hint}")
    if not found:
        raise ArgumentError(f"{name}: a library has functions\n  hint: fs.library({name!r}, f, fs.grad(f))")
    return Library(name, found, form, f"{name}_")


def form_of(memory: object = "heap", batch: object = False, profile: object = "full") -> Form:
    """What C is asked for, as it is called.

    Raises:
        ArgumentError: for what does not exist, or not together.

    """
    whose = memory_called(memory)
    if not isinstance(batch, bool):
        raise ArgumentError(
            f"batch={batch!r}\n  hint: True, to have each function for many elements; a function has another name"
        )
    return Form(whose, Extent.MANY if batch else Extent.ONE, _profile(profile, whose))


def _profile(name: object, memory: Memory) -> Profile:
    found = {profile.value: profile for profile in Profile}.get(name)  # type: ignore[call-overload]
    if found is None:
        raise ArgumentError(f'profile={name!r}\n  hint: use "full" or "plain"')
    if found is Profile.PLAIN and memory is not Memory.CALLER:
        raise ArgumentError('profile="plain" asks nothing of the system\n  hint: with memory="caller"')
    return found  # type: ignore[no-any-return]


def memory_called(name: object) -> Memory:
    """Whose memory it is.

    Raises:
        ArgumentError: if there is no such memory.

    """
    found = {m.value: m for m in Memory}.get(name)  # type: ignore[call-overload]
    if found is None:
        raise ArgumentError(f'memory={name!r}\n  hint: use "heap" or "caller"')
    return found  # type: ignore[no-any-return]

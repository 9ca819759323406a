"""Every error that fsmooth raises.

Error:
├── ProgramError                 a mistake in the user's program, shown at its line
│   ├── UnsupportedError         Python outside the language
│   ├── UndefinedNameError       (NameError)
│   ├── TypeMismatchError        (TypeError)
│   │   ├── RankError
│   │   └── NotDifferentiableError
│   ├── RaggedError              (ValueError)
│   ├── SourceNotAvailableError
│   ├── UnprovedError            of a function with checks="proved": something is tested while it runs
│   └── of a class below too, where the mistake shows already in the program:
│       ArgumentMismatchError (ArgumentError), ConstantIndexError (IndexOutOfBoundsError), ConstantSizeError (SizeError),
│       ConstantEmptyError (EmptyError), ProgramMethodError (UnknownMethodError)
├── ArgumentError                (TypeError) wrong arguments of a call
├── UnknownMethodError           (ValueError)
├── LawError                     (ValueError) a law that is none, or changes what a term means
├── StrategyError                (ValueError) a strategy that cannot be a schedule, or does not end
├── DerivativeMismatchError      (AssertionError) found by check_derivative, or in a custom_derivative
├── RunError                     found while a compiled function ran
│   ├── IndexOutOfBoundsError    (IndexError)
│   ├── ArgumentIndexError       (ArgumentError, IndexError) an argument annotated with fs.Index or fs.Offsets is none
│   ├── SizeError                (ValueError) sizes that must agree do not
│   ├── EmptyError               (ValueError) the extremum of nothing
│   ├── DivisionError            (ZeroDivisionError) of integers
│   ├── AssertionFailedError     (AssertionError) an assert of the program
│   ├── RaisedError              a raise in the program
│   │   └── RaisedValueError     (ValueError)
│   ├── MatrixError              (numpy.linalg.LinAlgError) a singular matrix, or one that is not positive definite
│   ├── RecursionDepthError      (RecursionError) a function that calls itself, too often for memory
│   └── OutOfMemoryError         (MemoryError)
├── CompilerNotFoundError
├── CompilationError             the C compiler failed: a bug of fsmooth, or of the flags given
└── CacheError

And one warning, UncheckedRuleWarning.
"""

from __future__ import annotations

from numpy.linalg import LinAlgError


class Error(Exception):
    """Base of all errors of fsmooth."""


class ProgramError(Error):
    """A mistake in the user's program, shown at its line."""


class UnsupportedError(ProgramError):
    """Python that is outside the language; the message says what to write instead."""


class UndefinedNameError(ProgramError, NameError):
    """A name that is not defined, or only on some paths."""


class TypeMismatchError(ProgramError, TypeError):
    """Something of a type that cannot stand there."""


class RankError(TypeMismatchError):
    """An array of the wrong number of dimensions."""


class NotDifferentiableError(TypeMismatchError):
    """A derivative of or with respect to something that has none."""


class RaggedError(ProgramError, ValueError):
    """An array whose elements would have different sizes."""


class SourceNotAvailableError(ProgramError):
    """A function whose source text cannot be read."""


class UnprovedError(ProgramError):
    """A function with `checks="proved"` in which something is tested while it runs."""


class ArgumentError(Error, TypeError):
    """A call with arguments of the wrong number, type or shape."""


class UnknownMethodError(Error, ValueError):
    """A differentiation method, schedule or BLAS that does not exist."""


class LawError(Error, ValueError):
    """A law that cannot be read, or that changes what a term means."""


class StrategyError(Error, ValueError):
    """A strategy that is no schedule, or rewrites without end."""


class DerivativeMismatchError(Error, AssertionError):
    """Two ways to a derivative, or a derivative and differences, disagree."""


class RunError(Error):
    """Found while a compiled function ran."""


class IndexOutOfBoundsError(RunError, IndexError):
    """An index outside its array."""


class ArgumentIndexError(RunError, ArgumentError, IndexError):
    """An argument that is annotated with `fs.Index` or `fs.Offsets` is, or has, an integer that is no such place."""


class SizeError(RunError, ValueError):
    """Sizes that must agree do not."""


class EmptyError(RunError, ValueError):
    """The maximum or minimum of nothing."""


class DivisionError(RunError, ZeroDivisionError):
    """Integer division by zero."""


class AssertionFailedError(RunError, AssertionError):
    """An `assert` of the program does not hold."""


class RaisedError(RunError):
    """A `raise` in the program was reached."""


class RaisedValueError(RaisedError, ValueError):
    """A `raise ValueError(…)` in the program was reached."""


class MatrixError(RunError, LinAlgError):
    """A matrix that is singular, or not positive definite, where it must not be."""


class RecursionDepthError(RunError, RecursionError):
    """A function calls itself so often, one call in the other, that there is no memory for it (docs/how-to/recursion.md)."""


class OutOfMemoryError(RunError, MemoryError):
    """No memory for the result or the temporaries of a call; `part` is the part of the result, `"out[1][0]"`, if it is one."""

    def __init__(self, message: str, part: str | None = None) -> None:
        super().__init__(message)
        self.part = part


class ArgumentMismatchError(ProgramError, ArgumentError):
    """A call inside a program with the wrong arguments."""


class ConstantIndexError(IndexOutOfBoundsError, ProgramError):
    """A constant index outside an array of constant size, found while compiling."""


class ConstantSizeError(SizeError, ProgramError):
    """Two constant sizes that differ, found while compiling."""


class ConstantEmptyError(EmptyError, ProgramError):
    """The extremum of a container that is empty, found while compiling."""


class ProgramMethodError(ProgramError, UnknownMethodError):
    """A differentiation method that does not exist, named inside a program."""


class CompilerNotFoundError(Error):
    """No C compiler on this machine."""


class CompilationError(Error):
    """The C compiler failed."""


class CacheError(Error):
    """The cache directory cannot be used."""


class UncheckedRuleWarning(UserWarning):
    """A rule of custom_derivative could not be checked on first use: that would take too long."""

"""Checks are made once, and only those are dropped that have been passed; conditions of checks read well."""

from __future__ import annotations

from fsmooth.backend.c.conditions import failing, negated
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ONE, minus
from fsmooth.loops.names import Names
from fsmooth.loops.passes.tidy import tidy

K, N, I = (t.Name(name, INT) for name in "kni")
ZERO = t.Literal(0, INT)
X, Y = (t.Name(name, F64) for name in "xy")


def check(index: t.Expression = K) -> t.Check:
    return t.Check(index, N, 0)


def operation(primitive: p.Primitive, *sides: t.Expression) -> t.Operation:
    return t.Operation(primitive, sides, BOOL)


def demand() -> t.Demand:
    return t.Demand(operation(p.less, ZERO, N), 1)


def loop(*body: t.Statement) -> t.For:
    return t.For("i", N, body, t.Kind.SEQUENTIAL)


def where(condition: t.Expression, *body: t.Statement) -> t.If:
    return t.If(condition, body)


def shown(*statements: t.Statement) -> str:
    """The statements that are left, each as a letter: check, demand, (loop), [branch], all, other."""
    return _shown(tidied(*statements))


def tidied(*statements: t.Statement) -> t.Body:
    inputs = [t.Parameter(name, INT) for name in "kn"] + [t.Parameter("v", INT, pointer=True)]
    function = t.Function("f", tuple(inputs), statements)
    return tidy(function, Names()).body


def _shown(body: t.Body) -> str:
    text = ""
    for s in body:
        match s:
            case t.Check():
                text += "c"
            case t.Demand():
                text += "d"
            case t.For():
                text += f"({_shown(s.body)})"
            case t.If():
                text += f"[{_shown(s.then)}|{_shown(s.otherwise)}]"
            case t.CheckAll():
                text += "a"
            case _:
                text += "o"
    return text


def test_a_check_is_made_once() -> None:
    assert shown(check(), check()) == "c"
    assert shown(check(), check(I)) == "cc"
    assert shown(demand(), demand()) == "d"
    load = t.Load("v", K, INT)
    assert shown(check(load), check(load)) == "c"
    ours = t.Load("result", K, INT)
    assert shown(check(ours), check(ours)) == "c"


def test_what_is_read_from_memory_is_checked_again_after_it_was_written() -> None:
    read, write = check(t.Load("result", K, INT)), t.Store("result", N, ZERO)
    assert shown(read, write, read) == "coc"
    assert shown(read, t.Store("other", N, ZERO), read) == "co"
    assert shown(read, t.Fill("result", ZERO, N, INT), read) == "coc"
    assert shown(read, t.Copy("result", ZERO, "v", ZERO, N, INT), read) == "coc"
    assert shown(read, loop(read, write, read), read) == "c(coc)c"
    assert shown(read, loop(read), read) == "c()"
    assert shown(loop(loop(write), read, read)) == "((o)c)"
    condition = operation(p.less, ZERO, N)
    assert shown(read, where(condition, write), read) == "c[o|]c"
    assert shown(read, t.If(condition, (write, read), (read,)), read) == "c[oc|c]c"


def test_what_is_written_through_a_pointer_is_checked_again() -> None:
    pointer = t.Choose("pointer", INT, "result", ZERO, None, None, None)
    read, through = check(t.Load("result", K, INT)), check(t.Load("pointer", K, INT))
    write = t.Store("pointer", N, ZERO)
    assert shown(pointer, read, write, read) == "ococ"
    assert shown(pointer, read, loop(write), read) == "oc(o)c"
    assert shown(pointer, through, through) == "occ"


def test_what_changes_is_checked_again() -> None:
    m = t.Name("m", INT)
    declared, assigned = t.Declare("m", INT, K, mutable=True), t.Assign("m", N)
    assert shown(declared, check(m), assigned, check(m)) == "ococ"


def test_checks_in_loops_are_forgotten_after_them() -> None:
    assert shown(loop(check()), check()) == "(c)c"
    assert shown(loop(check(), check())) == "(c)"
    assert shown(loop(check(I)), loop(check(I))) == "(c)(c)"
    assert shown(check(), loop(check())) == "c()"


def test_checks_in_branches_hold_in_branches() -> None:
    positive, other = operation(p.less, ZERO, N), operation(p.less, ZERO, K)
    assert shown(where(positive, check()), check()) == "[c|]c"
    assert shown(where(positive, check()), where(positive, check())) == "[c|]"
    assert shown(where(positive, check()), where(other, check())) == "[c|][c|]"
    assert shown(where(positive, where(positive, check()))) == "[c|]"
    assert shown(t.If(positive, (check(),), (check(),))) == "[c|c]"
    assert shown(check(), t.If(positive, (check(),), (check(),))) == "c"


def test_a_demand_is_known_from_then_on() -> None:
    same = operation(p.greater, N, ZERO)
    assert shown(demand(), t.If(same, (check(),), (demand(), demand()))) == "dc"
    assert shown(t.If(same, (demand(),), (demand(),))) == "[|d]"
    assert shown(loop(demand()), where(same, check())) == "(d)[c|]"


def test_ranges_are_checked_once() -> None:
    everything = [t.CheckAll("i", N, (), check(I), ends=True) for _ in range(2)]
    assert shown(*everything) == "a"
    assert shown(everything[0], t.CheckAll("i", K, (), check(I), ends=True)) == "aa"
    assert shown(everything[0], check(K)) == "ac"


def test_a_declaration_takes_its_value() -> None:
    (declared,) = tidied(t.Declare("x", F64, None, mutable=True), t.Assign("x", Y))
    assert (declared.name, declared.value, declared.mutable) == ("x", Y, True)
    assert shown(t.Declare("x", F64, None, mutable=True), t.Assign("y", X)) == "oo"
    assert shown(t.Declare("x", F64, None, mutable=True), t.Assign("x", Y, accumulate=True)) == "oo"


def test_conditions_read_well() -> None:
    write = ExpressionWriter().write
    both = t.Conditional(operation(p.less, K, N), operation(p.equal, K, ZERO), t.Literal(False, BOOL))
    either = t.Conditional(operation(p.less, K, N), t.Literal(True, BOOL), operation(p.equal, K, ZERO))
    assert write(failing(check())) == "k < 0 || k >= n"
    assert write(failing(demand())) == "n <= 0"
    assert write(negated(operation(p.less, ZERO, K))) == "k <= 0"
    assert write(negated(operation(p.less, ZERO, ZERO))) == "0 >= 0"
    assert write(negated(both)) == "k >= n || k != 0"
    assert write(negated(either)) == "k >= n && k != 0"
    assert write(negated(operation(p.less, X, Y))) == "!(x < y)"  # which is not x >= y if one is NaN
    assert write(negated(negated(operation(p.less, X, Y)))) == "x < y"


def through(index: str, local: str, buffer: str = "v", *, mutable: bool = False) -> t.CheckAll:
    """A check of `buffer[index]`, which has a name, for all indices."""
    definition = t.Declare(local, INT, t.Load(buffer, t.Name(index, INT), INT), mutable=mutable)
    return t.CheckAll(index, N, (definition,), check(t.Name(local, INT)), ends=False)


def test_gathers_are_checked_once() -> None:
    """Whatever the index and the gathered index are called; not through memory that may change."""
    assert shown(through("i", "m"), through("j", "at")) == "a"
    assert shown(loop(through("i", "m"), through("j", "at")), through("i", "m")) == "(a)a"
    assert shown(through("i", "m"), t.CheckAll("j", N, (), check(t.Name("j", INT)), ends=True)) == "aa"
    assert shown(through("i", "m", "result"), through("j", "at", "result")) == "a"
    written = t.Store("result", K, N)
    assert shown(through("i", "m", "result"), written, through("j", "at", "result")) == "aoa"
    assert shown(through("i", "m", mutable=True), through("j", "at", mutable=True)) == "aa"
    assert shown(through("i", "k"), t.CheckAll("j", N, (), check(K), ends=True)) == "aa"


def backwards(local: str, buffer: str, last: t.Expression) -> t.CheckAll:
    """A check of `buffer[last - r]` for all r."""
    place = t.Declare("place", INT, t.Operation(p.subtract, (last, t.Name("r", INT)), INT))
    read = t.Declare(local, INT, t.Load(buffer, t.Name("place", INT), INT))
    return t.CheckAll("r", N, (place, read), check(t.Name(local, INT)), ends=False)


def test_gathers_from_the_end_are_those_from_the_start() -> None:
    last = minus(N, ONE)
    assert shown(through("i", "m"), backwards("at", "v", last)) == "a"
    assert shown(backwards("at", "v", last), through("i", "m")) == "a"
    assert shown(backwards("at", "v", last), t.Store("v", K, N), through("i", "m")) == "aoa"
    assert shown(through("i", "m"), backwards("at", "v", N)) == "aa"
    place = t.Declare("place", INT, t.Operation(p.subtract, (last, t.Name("r", INT)), INT))
    both = t.Operation(p.add, (t.Load("v", t.Name("place", INT), INT), t.Name("r", INT)), INT)
    mixed = t.CheckAll("r", N, (place, t.Declare("m", INT, both)), check(t.Name("m", INT)), ends=False)
    straight = t.Operation(p.add, (t.Load("v", t.Name("r", INT), INT), t.Name("r", INT)), INT)
    plain = t.CheckAll("r", N, (t.Declare("m", INT, straight),), check(t.Name("m", INT)), ends=False)
    assert shown(plain, mixed) == "aa"

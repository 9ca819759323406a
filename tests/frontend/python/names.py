"""What a name stands for at each place, and arrays that are changed."""

# ruff: noqa

from __future__ import annotations

from tests.frontend.python.cases import Cases, X

CASES = Cases([])


@CASES(X)
def late_binding(x):
    a = 1.0

    def g(y):
        return y + a

    a = 2.0
    return g(x[0])


@CASES(X)
def default_of_the_moment(x):
    a = 1.0

    def g(y, b=a):
        return y + b

    a = 2.0
    return g(x[0])


@CASES(X)
def comprehension_has_names_of_its_own(x):
    i = 7
    y = [i * a for i, a in enumerate(x)]
    return (i, y)


@CASES(X)
def inner_names_are_inner(x):
    a = 2.0

    def g(y):
        a = y * 3
        return a

    return g(1.0) + a


@CASES(X)
def loop_in_inner_function(x):

    def g(y):
        s = 0.0
        for v in y:
            s += v
        return s

    return [g(x[:i]) for i in range(len(x))]


@CASES(X)
def function_in_loop(x):
    s = 0.0
    for i in range(3):

        def g(y):
            return y * i

        s += g(x[i])
    return s


@CASES(X)
def lambda_in_branch(x):
    if x[0] > 0:
        g = lambda y: y * 2
        r = g(x[1])
    else:
        g = lambda y: y * 3
        r = g(x[2])
    return r


@CASES(X)
def built_ins_shadowed(x):
    sum = 1.0
    len = 2
    return sum * len


@CASES(X)
def empty_ranges(x):
    s = 0.0
    for i in range(2, 5):
        s += x[i]
    for i in range(4, 2):
        s += 100
    t = [x[i] for i in range(4, 2)]
    return (s, len(t), t)


@CASES(X)
def sizes_as_numbers(x):
    n = len(x)
    m = n // 2
    return (x[m], x[:m], n % 2, n / 2, n**2, -n)


@CASES(X)
def integer_becomes_real(x):
    a, b = (0, 0.0)
    for i in range(3):
        a = a + x[i]
        b = a
    return (a, b)


@CASES(X)
def flag_carried(x):
    flag = False
    for a in x:
        flag = flag or a > 2
    return flag


@CASES(X)
def loop_with_flag(x):
    n = 0
    done = False
    for a in x:
        if not done:
            if a < 0:
                done = True
            else:
                n += 1
    return n


@CASES(X)
def truth_counted(x):
    c = 0
    for a in x:
        c += a > 0
    return c


@CASES(X)
def text_decides(x):
    mode = "fast"
    if mode == "fast":
        return x[0]
    return x[1]


@CASES(X)
def none_decides(x):
    opts = None
    if opts is not None:
        return x[0]
    return x[1]


@CASES(X)
def distortion(x):
    u = [x[0], x[1]]
    v = [u[1], u[0]]
    n = u[0] ** 2 + u[1] ** 2
    return [n * v[d] for d in range(2)]


@CASES(X)
def tuple_as_sequence(x):
    u = (x[0], x[1])
    return (sum(u), max(u), [a * 2 for a in u], len(u), u[0])


@CASES(X)
def pairs_unrolled(x):
    s = 0.0
    for i, j in [(0, 1), (1, 2)]:
        s += x[i] * x[j]
    for i, j in zip([0, 1], [1, 2]):
        s += x[i] * x[j]
    return s


@CASES(X)
def and_gives_a_number(x):
    r = x[0] and x[2]
    return r


@CASES(X)
def or_gives_a_number(x):
    r = 0.0 or x[2]
    return r


@CASES(X)
def row_in_loop(x):
    total = 0.0
    for i in range(len(x)):
        row = [x[i] * x[j] for j in range(len(x))]
        total += max(row) - min(row)
    return total


@CASES(X)
def function_not_depending(x):

    def rec(n):
        return 1.0

    return rec(3)


@CASES(X)
def enumerated_from_one(x):
    acc = 0.0
    for i, a in enumerate(x, start=1):
        acc += i * a
    return (acc, [i * a for i, a in enumerate(x, start=2)])


@CASES(X)
def constant_index_in_a_name(x):
    i = 2
    return (x[i], x[i - 1], x[-i])


@CASES(X)
def underscore(x):
    _, b, _ = x[:3]
    return b

"""NamedTuples, dataclasses and tuples, with their methods."""

# ruff: noqa

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from tests.frontend.python.cases import Cases, X


class P(NamedTuple):
    a: float
    b: np.ndarray

    def norm(self):
        return self.a * 2

    @property
    def twice(self):
        return self.a * 2


@dataclass
class Q:
    s: float
    p: P
    t: float = 3.0


@dataclass(frozen=True)
class R:
    u: float
    v: float = 2.0

    def dot(self, o):
        return self.u * o.u + self.v * o.v

    def scaled(self, k=3.0):
        return R(self.u * k, self.v * k)

    @property
    def sq(self):
        return self.u**2

    @staticmethod
    def make(u):
        return R(u, 1.0)


@dataclass
class Layer:
    w: np.ndarray
    b: float

    def run(self, x):
        return sum(p * q for p, q in zip(self.w, x, strict=True)) + self.b


class Model:
    def __init__(self):
        self.k = 2.0
        self.w = np.ones(5)

    def f(self, x):
        return self.k * x[0] + self.w[1]


layers = [Layer(np.arange(5.0), 1.0), Layer(np.ones(5), 2.0)]
obj = Model()
CAM = P(2.0, np.arange(3.0))

CASES = Cases(
    [
        (lambda p: (p.a * p.b[0], p.b, p), (P(2.0, X),)),
        (lambda q: q.s + q.p.a + q.t, (Q(1.0, P(2.0, X)),)),
        (lambda p: (p[0] * p[1][0], p[-1], len(p)), (P(2.0, X),)),
        (lambda x: ((x,), ()), (2.0,)),
        (
            lambda x, y: x if x > y else y,
            (
                2.0,
                3.0,
            ),
        ),
        (lambda x: obj.f(x), (X,)),
        (lambda x: [l.run(x) for l in layers], (X,)),
        (lambda x: CAM.a * x[0] + CAM.b[2], (X,)),
        (lambda x: CAM, (X,)),
        (
            lambda a, b: (a.dot(b), a.sq, a.scaled().u, a.scaled(k=2.0).v),
            (
                R(1.0, 2.0),
                R(3.0, 4.0),
            ),
        ),
        (lambda p: (p.norm(), p.twice, p._replace(a=5.0).a), (P(1.0, X),)),
        (lambda x: (R(x).v, R(u=x, v=1.0).u, R.make(x).v), (2.0,)),
        (lambda x: [(a, b) for a, b in zip(x, x)][1][0], (X,)),
        (
            lambda t, s: t[0] * t[1] * s,
            (
                (1.0, 2),
                {} and 0 or 3.0,
            ),
        ),
    ]
)


@CASES(2.0)
def record_built_inside(x):
    q = Q(x, P(x, np.array([x, x])))
    return q.p.b[1] + q.t


@CASES(2.0)
def record_replaced(x):
    p = P(a=x, b=np.zeros(2))
    p = p._replace(a=3.0)
    return p.a


@CASES(2.0)
def record_methods(x):
    r = R(x, 1.0)
    return (r.dot(R(2.0, 3.0)), r.sq)


@CASES(2.0)
def dataclass_replaced(x):
    r = replace(R(x, 1.0), v=5.0)
    return r.v


@CASES(P(2.0, X))
def record_unpacked(p):
    a, b = p
    return a * b[0]


@CASES((1.0, (2.0, X)))
def nested_tuple_argument(t):
    a, (b, c) = t
    return (a + b * c[0], t[1][1])


@CASES(2.0)
def two_targets(x):
    a = b = x
    a += 1
    return (a, b)


@CASES(2.0)
def swap(x):
    a, b = (x, x * 2)
    a, b = (b, a)
    return (a, b)


@CASES(2.0)
def nested_targets(x):
    (a, b), c = ((x, 1.0), 2.0)
    return a + b + c


@CASES(X)
def loop_over_objects(x):
    s = 0.0
    for l in layers:
        s += l.b * l.w[1] * x[0]
    return s


@CASES(2.0)
def list_of_records(x):
    rs = [R(x, 1.0), R(3.0, x)]
    return sum((r.u * r.v for r in rs))


@CASES(2.0)
def record_carried(x):
    r = R(x, 1.0)
    for i in range(3):
        r = R(r.u + r.v, r.v * 2)
    return (r.u, r.v)


@CASES(2.0)
def record_in_branches(x):
    r = R(x, 1.0) if x > 1 else R(0.0, x)
    return r.u


@CASES(X)
def array_of_pairs(x):
    ps = [(i, a * 2) for i, a in enumerate(x)]
    return sum((i * a for i, a in ps))


@dataclass
class Metres:
    v: float


@dataclass
class Feet:
    v: float


@dataclass
class Unknown:
    pass


class Nothing(NamedTuple):
    pass


def in_metres(d):
    if isinstance(d, Metres):
        return d.v
    return 0.3048 * d.v if isinstance(d, Feet) else 0.0


@CASES(-2.0)
@CASES(2.0)
def classes_with_the_same_fields(x):
    d = Metres(x) if x > 0 else Feet(x)
    return in_metres(d)


@CASES(2.0)
def classes_with_the_same_fields_in_a_list(x):
    return [in_metres(d) for d in [Metres(x), Metres(x), Feet(x)]]


@CASES(2.0, 2)
@CASES(2.0, 3)
def a_class_that_alternates(x, n):
    d = Metres(x)
    for _ in range(n):
        d = Feet(d.v * 2) if isinstance(d, Metres) else Metres(d.v * 3)
    return in_metres(d)


@CASES(-2.0)
@CASES(2.0)
def classes_without_fields(x):
    d = Unknown() if x > 0 else Nothing()
    match d:
        case Unknown():
            return x
        case Nothing():
            return 2 * x


class Pair(NamedTuple):
    a: float
    b: float


@CASES(-2.0)
@CASES(2.0)
def a_pair_or_none(x):
    """What is asked of a value that may be None is asked of the pair."""
    p = (x, 2 * x) if x > -3 else None
    a, b = p
    match p:
        case (u, v):
            c = u * v
        case _:
            c = 0.0
    return (p[0], p[-1], len(p), sum(i for i, _ in enumerate(p)), a - b, c, max(p), list(p)[1], x in p)


@CASES(-2.0)
@CASES(2.0)
def a_text_of_two(x):
    m = "linear" if x > 0 else "log"
    return (len(m), 1.0 if m[1] == "i" else 2.0, "i" in m, x if "near" in m else 0.0)


@CASES(2.0)
def a_dictionary_or_none(x):
    d = {"a": x, "b": 3.0} if x > 0 else None
    return (len(d), d["a"] * d["b"])


@CASES(2.0)
@CASES(-2.0)
def a_named_pair_or_none(x):
    r = Pair(x, 2.0) if x > -3 else None
    return (r[0], r.b * 3.0, len(r))


@CASES(X)
def the_best_so_far(v):
    best = None
    for k, q in enumerate(v):
        z = (q * q, k, "x" if q > 1 else "y")
        if best is None or z[0] < best[0]:
            best = z
    value, k, _ = best
    return value * v[k]


@dataclass
class Tagged:
    v: float
    note: float = field(compare=False, default=0.0)


@CASES(2.0)
def what_is_equal(x):
    same = [
        Metres(x) == Feet(x),
        Metres(x) == Metres(2.0),
        Pair(x, 1.0) == (2.0, 1.0),
        Tagged(x, 1.0) == Tagged(2.0, 5.0),
    ]
    return [1.0 if one else 0.0 for one in same]


CASES.append((lambda a, b: (in_metres(a), in_metres(b), in_metres([a, b][0])), (Feet(2.0), Metres(2.0))))


@dataclass
class Vec:
    x: float
    y: float

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __lt__(self, other):
        return self @ self < other @ other


@CASES(1.5, -2.0)
def own_operators(a, b):
    p = Vec(a, b) + 2.0 * Vec(b, a)
    q = 3 * -p - p / 2
    q += p
    for _ in range(3):
        q = q + 0.1 * Vec(-q.y, q.x)
    first = q if q < p else p
    return (q @ p, first.x, 1.0 if p > q else 0.0)


class Quaternion(NamedTuple):
    w: float
    v: np.ndarray

    def __mul__(self, other):
        w = self.w * other.w - self.v @ other.v
        return Quaternion(w, self.w * other.v + other.w * self.v + np.cross(self.v, other.v))

    def __add__(self, other):
        return Quaternion(self.w + other.w, self.v + other.v)


@CASES(0.5, X[:3])
def own_operators_of_tuples(a, v):
    q = Quaternion(a, v) * Quaternion(a, -v) + Quaternion(a, v)
    q *= q
    return (q.w, q.v)


class Point(NamedTuple):
    x: float
    y: float
    z: float


@CASES(X[:3])
def of_the_elements_of_an_array(v):
    p, q = Point(*v), Point(2.0, *v[1:])
    return p.x * q.z + q.x * p.y


@dataclass
class Dual:
    primal: float
    tangent: float

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.primal + other.primal, self.tangent + other.tangent)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.primal * other.primal, self.primal * other.tangent + self.tangent * other.primal)

    def __rmul__(self, other):
        return self * other


@CASES(1.5)
def dual_numbers(x):
    d = Dual(x, 1.0)
    y = 2 * d * d + 3.0 + 1.0 * d
    return (y.primal, y.tangent)


@dataclass
class Polynomial:
    c: np.ndarray

    def __call__(self, x):
        s = 0.0
        for k in range(len(self.c)):
            s = s * x + self.c[k]
        return s

    def __len__(self):
        return len(self.c)

    def __getitem__(self, k):
        return self.c[k]

    def __pos__(self):
        return self


@CASES(X, 0.5)
def own_length_and_elements(c, x):
    p = +Polynomial(c)
    return (p(x), len(p), p[1] * p[-1])


@dataclass
class Multiplied:
    x: float

    def __add__(self, other):
        return Multiplied(self.x * other.x)

    def __lt__(self, other):
        return self.x > other.x


@dataclass
class Added:
    x: float

    def __add__(self, other):
        return Added(self.x + other.x)

    def __lt__(self, other):
        return self.x < other.x


@CASES(2.0)
@CASES(-2.0)
def own_operators_of_one_class_or_another(x):
    v = Added(x) if x > 0 else Multiplied(x)
    w = v + Added(3.0)
    v += Added(2.0)
    perhaps = Added(x) if x > 0 else None
    more = (perhaps + perhaps).x if perhaps is not None else 0.0
    return (w.x, (Added(1.0) + v).x, 1.0 if v < Added(3.0) else 0.0, more)

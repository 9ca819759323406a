"""Functions that a program brings along, since Futhark's prelude has none that mean the same: a line says why."""

from __future__ import annotations

import re

F64_ONLY = {
    "expm1": """\
def expm1 (x: f64): f64 =
  let u = f64.exp x
  in if u == 1f64 then x
     else if u == f64.inf then u
     else if u - 1f64 == -1f64 then -1f64
     else (u - 1f64) * x / f64.log u""",
    "exp2": "def exp2 (x: f64): f64 = 2f64 ** x",
    "sigmoid": """\
def sigmoid (x: f64): f64 =
  let e = f64.exp (-(f64.abs x))
  in (if x >= 0f64 then 1f64 else e) / (1f64 + e)""",
    "sign": """\
def sign (x: f64): f64 =
  if x > 0f64 then 1f64 else if x < 0f64 then -1f64 else if f64.isnan x then x else 0f64""",
    "maximum": """\
def maximum (a: f64) (b: f64): f64 =
  if f64.isnan a || f64.isnan b then f64.nan else if b > a then b else a""",
    "minimum": """\
def minimum (a: f64) (b: f64): f64 =
  if f64.isnan a || f64.isnan b then f64.nan else if b < a then b else a""",
    "to_int": """\
def to_int (x: f64): i64 =
  if f64.abs x < 9223372036854775808f64 then i64.f64 x else i64.lowest""",
    "log_gamma": """\
def log_gamma (x: f64): f64 =
  if x <= 0f64 && x == f64.floor x then f64.inf else f64.lgamma x""",
    "digamma": """\
def digamma (x: f64): f64 =
  if f64.isnan x || x == f64.inf then x
  else if x == 0f64 then -1f64 / x
  else if x < 0f64 && x == f64.floor x then f64.nan
  else let (y, reflected) =
         if x < 0.5f64 then (1f64 - x, f64.pi / f64.tan (f64.pi * x)) else (x, 0f64)
       let (sum, z) = loop (sum, z) = (0f64, y) while z < 10f64 do (sum - 1f64 / z, z + 1f64)
       let r = 1f64 / (z * z)
       let series =
         r * (1f64 / 12f64 - r * (1f64 / 120f64 - r * (1f64 / 252f64 - r * (1f64 / 240f64
         - r * (1f64 / 132f64 - r * (691f64 / 32760f64 - r / 12f64))))))
       in sum + f64.log z - 0.5f64 / z - series - reflected""",
    "trigamma": """\
def trigamma (x: f64): f64 =
  if f64.isnan x || x == -f64.inf then f64.nan
  else if x == f64.inf then 0f64
  else if x <= 0f64 && x == f64.floor x then f64.inf
  else let (y, reflected) =
         if x < 0.5f64 then (1f64 - x, (f64.pi / f64.sin (f64.pi * x)) ** 2f64) else (x, 0f64)
       let (sum, z) = loop (sum, z) = (0f64, y) while z < 10f64 do (sum + 1f64 / (z * z), z + 1f64)
       let r = 1f64 / (z * z)
       let series =
         r * (1f64 / 6f64 - r * (1f64 / 30f64 - r * (1f64 / 42f64 - r * (1f64 / 30f64
         - r * (5f64 / 66f64 - r * (691f64 / 2730f64 - r * 7f64 / 6f64))))))
       let whole = sum + 1f64 / z + 0.5f64 * r + series / z
       in if x < 0.5f64 then reflected - whole else whole""",
}
"""Of f64; those of f32 compute in f64, as the interpreter does, and round."""

_FIRST = """\
def {name} [n] (xs: [n]{type}): i64 =
  if n == 0 then 0
  else (reduce (\\(a, i) (b, j) ->
                  if {better_b}
                     || ({same} && j < i)
                  then (b, j) else (a, i))
               (xs[0], 0i64)
               (zip xs (iota n))).1"""


def _first(name: str, comparison: str, type_: str) -> str:
    """The first place of the greatest, or least, element, and a NaN is that."""
    if type_ == "i64":
        return _FIRST.format(name=name, type=type_, better_b=f"b {comparison} a", same="a == b")
    nan = f"{type_}.isnan"
    better = f"(!({nan} a) && ({nan} b || b {comparison} a))"
    return _FIRST.format(name=name, type=type_, better_b=better, same=f"(a == b || ({nan} a && {nan} b))")


INTEGER = {
    "integer_sign": "def integer_sign (a: i64): i64 = i64.sgn a",
    "floor_divide": """\
def floor_divide (a: i64) (b: i64): i64 =
  if b == 0 then 0 else if b == -1 then -a else a / b""",
    "modulo": """\
def modulo (a: i64) (b: i64): i64 =
  if b == 0 || b == -1 then 0 else a % b""",
    "integer_power": """\
def integer_power (a: i64) (b: i64): i64 =
  if b < 0 then 0 else a ** b""",
}

_WORDS = {"argmax": ">", "argmin": "<"}
_ROUNDED = ("expm1", "exp2", "sigmoid", "log_gamma", "digamma", "trigamma")


def _of_f32(name: str, text: str) -> str:
    """The same of f32."""
    if name in _ROUNDED:
        return f"def {name}_f32 (x: f32): f32 = f32.f64 ({name} (f64.f32 x))"
    if name == "to_int":
        return "def to_int_f32 (x: f32): i64 = to_int (f64.f32 x)"
    return re.sub(r"f64", "f32", text.replace(f"def {name} ", f"def {name}_f32 "))


def _texts() -> dict[str, str]:
    texts = dict(F64_ONLY)
    for name, text in F64_ONLY.items():
        texts[f"{name}_f32"] = _of_f32(name, text)
    texts.update(INTEGER)
    for name, comparison in _WORDS.items():
        for suffix, type_ in (("", "f64"), ("_f32", "f32"), ("_i64", "i64")):
            texts[name + suffix] = _first(name + suffix, comparison, type_)
    return texts


HELPERS = _texts()
"""Each helper by its name."""


def prelude(used: set[str]) -> list[str]:
    """The definitions of the helpers that a program uses, those first that others need.

    >>> prelude({"exp2_f32"})
    ['def exp2 (x: f64): f64 = 2f64 ** x', 'def exp2_f32 (x: f32): f32 = f32.f64 (exp2 (f64.f32 x))']
    """
    based = {name.removesuffix("_f32") for name in used if name.removesuffix("_f32") in (*_ROUNDED, "to_int")}
    return [text for name, text in HELPERS.items() if name in used | based]

"""Pages to look at: what is on them, how large they are, and that nothing of a program gets out of its place."""

import html
import json
import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checks import Checked, Checks, When
from fsmooth.cli import main
from fsmooth.core.term import Site
from fsmooth.core.types import F64, INT, array_of
from fsmooth.driver import compile_program, to_term
from fsmooth.explorer import came_from, page, parts
from fsmooth.explorer.page import SIZE
from fsmooth.explorer.written import LINES, Written
from fsmooth.rewrite.trace import Trace
from tests.explorer.browser import found, used

needs_browser = pytest.mark.skipif(found() is None, reason="no Chromium is on PATH")


def gather(x, ix):
    total = 0.0
    for i in range(len(ix)):
        total += x[ix[i]] * x[i]
    return total


def marked(x):
    assert x[0] > 0.0, "</script><script>alert(1)</script><b>&amp;"
    return x[0] * 2.0  # </code></pre><img src=x onerror=alert(2)>


def many(x):
    total = 0.0
    for i in range(len(x)):
        a = np.sin(x[i]) * x[i] + np.cos(x[i] * x[i])
        b = np.exp(a * x[i]) / (1.0 + a * a) + np.tanh(a)
        c = np.sqrt(1.0 + b * b) * a + np.log(2.0 + b * b) * np.sin(a * b)
        d = np.exp(-c * c) * np.cos(a + b) + np.sqrt(2.0 + c * b) * np.tanh(c - a)
        total += a * b * c * d + np.sin(c * d) / (1.0 + c * c)
    return total


def scaled(x, p, q):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(p * q) * x[i]
    return total


@pytest.fixture(scope="module")
def of_gather(tmp_path_factory):
    made = tmp_path_factory.mktemp("page") / "gather.html"
    assert fs.grad(gather).explore(made, np.ones(3), np.array([0, 1])) == made
    return made.read_text(encoding="utf-8")


def line_of(text):
    return next(
        n
        for n, line in enumerate(Path(__file__).read_text(encoding="utf-8").splitlines(), 1)
        if line.strip().startswith(text)
    )


def test_the_parts(of_gather):
    f = fs.grad(gather)
    arguments = np.ones(3), np.array([0, 1])
    steps, stages = f.trace(*arguments), f.compiled(*arguments)
    assert len(steps) >= 5
    text = html.unescape(re.sub(r"<(?!-)[^<>]*>", "", of_gather.split("</style>")[1]))
    for term in stages.terms.values():
        assert str(term) in text
    assert stages.code.source.rstrip() in text
    assert all(f"{step.rule}" in text and str(step.before) in text and str(step.after) in text for step in steps)
    assert of_gather.count("data-step=") == len(steps)
    assert all(check.result in text for check in f.checks(*arguments))
    assert f.cost(*arguments) in text
    assert str(stages.trace) in text
    assert all(str(choice) in text for choice in stages.choices)
    assert f"step 1 of {len(steps)}: {steps[0].rule} · {steps[0].source}" in text
    assert "Only what carries its line is lit" in text


def test_what_carries_its_line(of_gather):
    inner, loop = line_of("total += x[ix[i]]"), line_of("for i in range(len(ix))")
    assert re.search(rf'<span data-line="{inner}">[^<]*fs_failed\(error, 1, k, x_n0\);', of_gather)
    assert re.search(rf'<span data-line="{inner}"> *check k &lt; x_n0 at 1<', of_gather)
    assert re.search(rf'<span data-line="{loop}"> */\* line {loop}: for i in range', of_gather)
    assert len(re.findall(rf'<tr data-line="{inner}">', of_gather)) == 3
    assert re.search(rf'data-from="{inner}"[^>]*>.*?total \+= x\[ix\[i\]\] \* x\[i\]<', of_gather)
    nothing = line_of("def gather")
    assert f'data-from="{nothing}"' not in of_gather
    assert f">{nothing}</span><code>def gather(x, ix):" in of_gather


def model(W, x, y):
    h = np.tanh(W @ x)
    e = 0.0
    for i in range(len(y)):
        d = h[i] - y[i]
        e += d * d
    return e / len(y)


def lit(made, title):
    """The lines of a text on the page, each after the line of the program that it came from, or 0."""
    text = re.search(rf"<summary>{title}</summary><pre[^>]*>(.*?)</pre>", made, re.DOTALL)[1]
    found = [re.fullmatch(r'(?:<span data-line="(\d+)">)?(.*?)(?:</span>)?', line) for line in text.split("\n")]
    return [(int(line[1] or 0), html.unescape(line[2]).strip()) for line in found]


def test_terms_loops_and_c_carry_the_lines_that_they_came_from(tmp_path):
    made = fs.grad(model).explore(tmp_path / "model.html", np.ones((3, 2)), np.ones(2), np.ones(3)).read_text()
    product, loop, difference, total = (
        line_of(text) for text in ("h = np.tanh(W", "for i in range(len(y))", "d = h[i]", "e += d * d")
    )
    expected = {}
    expected["the definition term"] = (
        (product, "let h ="),
        (loop, "let e = ifold (fun e_1 i_2 ->"),
        (difference, "let d ="),
        (total, "let e_2 = e_1 + d * d in"),
        (loop, "e_2) 0.0 (length y_1) in"),
        (0, "e / to_float (length y_1))) W x y in"),
    )
    expected["the optimised term"] = ((loop, "let sum_back = sum"),)
    expected["the loops"] = (
        (product, "arena a: Float x W_n0"),
        (product, "for i_block < (W_n0 // 4) parallel"),
        (product, "sum_2 += "),
        (loop, "for i < y_n0 reduction simd"),
        (loop, "sum_back[i] := "),
        (difference, "demand (y_n0 <= W_n0) at 1"),
        (0, "for i < W_n0 parallel"),
        (0, "shape[0] := W_n0"),
    )
    expected["the C"] = (
        (product, "a[i_start + 1] = sum_2;"),
        (product, "for (int64_t i_left = 0;"),
        (loop, "for (int64_t i = 0; i < y_n0; ++i) {"),
        (loop, "sum_back[i] = "),
        (difference, "if (y_n0 > W_n0) {"),
        (0, "result[i * x_n0 + k] = t_1 * x[k];"),
        (0, "shape[0] = W_n0;"),
    )
    for title, lines in expected.items():
        shown = lit(made, title)
        for line, text in lines:
            assert [found for found, said in shown if said.startswith(text)] == [line], text


def test_what_code_motion_moved_is_of_the_line_that_uses_it(tmp_path):
    made = fs.function(scaled).explore(tmp_path / "scaled.html", np.ones(3), 1.0, 2.0).read_text()
    line = line_of("total += np.exp(p * q)") - 1  # that of the loop, in which what uses it is
    for title, moved in (("the loops", "let t: Float = exp("), ("the C", "const double t = exp(")):
        assert [found for found, said in lit(made, title) if said.startswith(moved)] == [line], title
    shown = "f(x)\n  let t: Int = 1\n  let u: Int = t\n  a := u\n  b := t\ng(x)\n  let t: Int = 2\n  c := t"
    assert came_from._by_use(shown, [0, 0, 0, 5, 6, 0, 0, 7], came_from._NAMES) == [0, 0, 5, 5, 6, 0, 7, 7]


def test_most_of_what_is_made_is_lit(tmp_path):
    """Of a program whose loops are all written in it, all but what begins and ends a function."""
    made = fs.function(many).explore(tmp_path / "many.html", np.ones(3)).read_text()
    for title in ("the optimised term", "the loops"):
        lines = [line for line, text in lit(made, title) if text]
        assert len([line for line in lines if line]) >= 0.6 * len(lines), title
    first = line_of("def many")
    assert {line for line, _ in lit(made, "the definition term")} >= set(range(first + 2, first + 8))


def test_lines_of_other_files_are_not_taken_for_lines_of_this():
    written = Written.of(gather, [])
    here = written.first + 1
    assert written.line_of(Site("x", written.file, here)) == here
    assert written.line_of(Site("x", "other.py", here)) == 0
    quoted = f"    /* line {here}: {written.lines[1].strip()} */"
    loops = fs.function(gather).compiled(np.ones(3), np.array([0, 1])).loops
    assert [*came_from.of_c(f"{quoted}\n    /* line {here}: other */", (), loops, written)] == [here, 0]


def test_checks_in_other_files_name_them():
    found = Checks([Checked("index in bounds", Site("x", "/a/other.py", 27), When.ONCE)])
    assert "<tr><td>other.py, 27</td><td>x</td>" in parts.checks(found, Written.of(gather, []), 10)


def test_a_long_file_is_cut():
    first = Written.of(gather, []).first
    written = Written.of(gather, [Site("x", __file__, 1), Site("x", __file__, first + 4 + LINES)])
    assert len(written.lines) <= LINES
    assert written.left_out == first + 4


def test_no_step_and_no_source(tmp_path):
    made = fs.function(lambda x: x).explore(tmp_path / "page.html", 1.0)
    assert "No rule fired." in made.read_text(encoding="utf-8")
    assert parts.source(Written.of(len, []), frozenset()) == "<p>The source of this program is not there.</p>"


def test_a_long_derivation_fits():
    f = fs.hessian(many)
    stages = compile_program(to_term(f.program, {"x": array_of(F64)}), "h", f.schedule, None, Trace([]))
    made = page("h", many, f.schedule, stages)
    total = len(stages.trace.firings)
    shown = [int(n) for n in re.findall(r'data-step="(\d+)"', made)]
    assert len(made.encode()) < SIZE
    assert 20 < len(shown) < total
    assert shown == sorted(set(shown))
    assert (shown[0], shown[-1]) == (1, total)
    assert f"{total - len(shown)} of the {total} steps, in the middle, are left out" in made


def test_large_programs_fit():
    names = [f"a{k}" for k in range(600)]
    body = "".join([f"    {name} = x[ix[{k}]] * {k}.5\n" for k, name in enumerate(names)])
    text = f"def large(x, ix):\n{body}    return {' + '.join(names)}  # {'&' * 9000}\n"
    linecache.cache["large.py"] = (len(text), None, text.splitlines(keepends=True), "large.py")
    found = {}
    exec(compile(text, "large.py", "exec"), found)
    f = fs.function(found["large"])
    arguments = {"x": array_of(F64), "ix": array_of(INT)}
    stages = compile_program(to_term(f.program, arguments), "large", f.schedule, None, Trace([]))
    made = page("large", found["large"], f.schedule, stages)
    assert len(made.encode()) < SIZE
    assert f"{602 - LINES} more lines are left out." in made
    assert "more are left out." in made
    assert "more characters are left out" in made
    assert "<p>1200 in all: " in made
    assert "of the 600 steps, in the middle, are left out" in made


def test_nothing_from_elsewhere(of_gather):
    assert "http://" not in of_gather
    assert "https://" not in of_gather
    assert re.search(r"(src|href)\s*=|url\(|@import|fetch\(|XMLHttp", of_gather) is None
    assert "default-src 'none'" in of_gather


def test_programs_stay_in_their_places(tmp_path):
    made = fs.function(marked).explore(tmp_path / "page.html", np.ones(3)).read_text(encoding="utf-8")
    assert made.count("<script") == 1
    assert made.count("</script") == 1
    assert "<img" not in made
    assert "# &lt;/code&gt;&lt;/pre&gt;&lt;img" in made
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in made


@pytest.mark.parametrize(
    ("options", "name"),
    [([], "total"), (["--grad"], "grad_total"), (["--value-and-grad", "k"], "value_and_grad_total")],
)
def test_from_the_command_line(tmp_path, monkeypatch, capsys, options, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "programs.py").write_text("def total(v, k):\n    return sum(x * k for x in v)\n")
    assert main(["explore", "programs.py:total", *options, "--types", "float[]", "float"]) == 0
    assert capsys.readouterr().out == f"{name}.html\n"
    assert f"<h1>{name}</h1>" in (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert main(["explore", "programs.py:total", "--grad", "z", "--types", "float[]", "float"]) == 1
    assert "z" in capsys.readouterr().err
    assert main(["explore", "programs.py:total", "--types", "float[]", "float", "-o", "none/page.html"]) == 1
    said = "ArgumentError: none/page.html: there is no folder 'none'\n  hint: make it, or name a file elsewhere\n"
    assert capsys.readouterr().err == said


_READER = """
const slider = document.getElementById("slider");
const visible = () => [...document.querySelectorAll("#steps > li")].filter((one) => !one.hidden);
const look = () => seen.push(visible().map((one) => one.dataset.step).join());
look();
slider.value = "3"; slider.dispatchEvent(new Event("input")); look();
document.getElementById("after").click(); look();
document.getElementById("before").click(); document.getElementById("before").click(); look();
const line = document.querySelector('[data-from="LINE"]');
line.dispatchEvent(new Event("pointerenter")); seen.push(document.querySelectorAll(".lit[data-line]").length, document.getElementById("lit").textContent);
line.click(); line.dispatchEvent(new Event("pointerleave")); seen.push(line.getAttribute("aria-pressed"), document.querySelectorAll(".lit[data-line]").length);
line.click(); line.dispatchEvent(new Event("blur")); seen.push(document.querySelectorAll(".lit").length);
line.dispatchEvent(new Event("focus")); seen.push(document.querySelectorAll(".lit[data-line]").length);
line.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"})); seen.push(line.getAttribute("aria-pressed"));
seen.push(document.documentElement.scrollWidth <= window.innerWidth)
"""


@needs_browser
def test_in_a_browser(of_gather, tmp_path):
    inner = line_of("total += x[ix[i]]")
    result = json.loads(used(of_gather, tmp_path, _READER.replace("LINE", str(inner))))
    assert result["problems"] == []
    seen = result["seen"]
    assert seen[:4] == ["1", "3", "4", "2"]
    lit = of_gather.count(f'data-line="{inner}"')
    assert seen[4] == lit > 5
    assert seen[5].startswith(f"line {inner}: ")
    assert "3 checks" in seen[5]
    assert seen[6:] == ["true", lit, 0, lit, "true", True]


@needs_browser
def test_what_programs_say_does_not_run(tmp_path):
    made = fs.grad(marked).explore(tmp_path / "page.html", np.ones(3)).read_text(encoding="utf-8")
    result = json.loads(
        used(made, tmp_path, 'seen.push(document.querySelectorAll("img, b:not(.head b), script").length)')
    )
    assert result == {"seen": [3], "problems": []}

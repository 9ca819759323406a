"""The reference is complete: public names with their signatures, schedules, errors, commands, environment variables."""

import inspect
import re

import fsmooth as fs
from fsmooth.callables import Function
from fsmooth.functions import Named
from fsmooth.library import names
from fsmooth.optimise.schedules import SCHEDULES
from tests.docs.pages import ROOT

_REFERENCE = ROOT / "docs" / "reference"


def _page(name: str) -> str:
    return (_REFERENCE / f"{name}.md").read_text(encoding="utf-8")


def _bare(signature: inspect.Signature) -> str:
    """A signature without annotations, as it is called."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(inspect.Signature([p for p in parameters if p.name != "self"]))


def test_every_public_name_has_an_entry():
    page, errors = _page("api"), _page("errors")
    missing = []
    for name in fs.__all__:
        value = getattr(fs, name)
        if isinstance(value, type) and issubclass(value, fs.Error):
            found = f"`fs.{name}`" in errors
        elif isinstance(value, Named):
            found = f"`fs.{name}`" in page
        elif inspect.isfunction(value):
            found = f"`fs.{name}{_bare(inspect.signature(value))}`" in page
        else:
            found = f"`fs.{name}[" in page or f"## fs.{name}\n" in page
        missing += [] if found else [name]
    assert missing == []


def test_every_error_that_a_program_can_meet_is_public():
    pending, found = [fs.Error], set()
    while pending:
        here = pending.pop()
        found.add(here)
        pending += here.__subclasses__()
    assert {e.__name__ for e in found if not hasattr(fs, e.__name__)} <= {"TextError", "WrongArguments"}


def test_every_entry_is_a_public_name():
    for page in ("api", "errors"):
        assert {n for n in re.findall(r"`fs\.(\w+)", _page(page))} <= {*fs.__all__}


def test_every_method_of_a_function_has_an_entry():
    methods = [n for n in vars(Function) if not n.startswith("_")]
    assert len(methods) >= 7
    assert [n for n in methods if f"`f.{n}" not in _page("api")] == []


def test_every_error_has_its_bases():
    rows = dict(re.findall(r"`fs\.(\w+)`(?: \((\w+)\))? \|", _page("errors")))
    classes = {n: getattr(fs, n) for n in fs.__all__ if isinstance(getattr(fs, n), type) and "Error" in n}
    own = {n: [b.__name__ for b in c.__bases__ if b.__module__ == "builtins"] for n, c in classes.items()}
    assert rows == {n: "".join(bases).replace("Exception", "") for n, bases in own.items()}


def test_every_schedule_has_an_entry():
    assert re.findall(r"^\| `([A-Z]+)` \|", _page("schedules"), re.MULTILINE) == list(SCHEDULES)


def test_every_library_function_has_an_entry():
    page = {w for code in re.findall(r"`([^`]+)`", _page("library")) for w in code.split()}
    assert sorted(names() - page) == []
    assert sorted({n for n in fs.__all__ if isinstance(getattr(fs, n), Named)} - page) == []


def test_commands_and_variables():
    page = _page("command-line")
    for word in ("demo", "emit", "build", "explore", "rules", "cache info", "cache clear", "--version"):
        assert f"fsmooth {word}" in page
    source = "".join([f.read_text(encoding="utf-8") for f in (ROOT / "src" / "fsmooth").rglob("*.py")])
    variables = set(re.findall(r"environ[^\n]*?\(\"(FSMOOTH_\w+)\"", source)) | set(
        re.findall(r"\.get\(\"(FSMOOTH_\w+)\"", source)
    )
    assert len(variables) >= 3
    assert variables == set(re.findall(r"`(FSMOOTH_\w+)`", page))

"""The rules of the house that a machine can check, on the source as it stands."""

import ast
import json
import os
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import resolve_name
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "isogloss"
ORDER = """
errors < registry < engine < kernels < vectors < dictionary < sample < mapping < hubness
< probability < index < retrieval < evaluation < recipes < translator < growing < multilingual
< mining < datasets < paper < plots < web < cli
"""
ROOMS = [room.strip() for room in ORDER.split("<")]
# The package's own front imports nearly every room, so that only those after it may import it.
MAY_IMPORT_FRONT = {"cli"}
CORE = {"numpy", "safetensors", "threadpoolctl", "click", "rich", "msgspec"}
TERMINAL = {"click", "rich"}
UNSAFE = {"pickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


@dataclass(frozen=True)
class Import:
    line: int
    target: str
    runs_on_import: bool


@dataclass(frozen=True)
class Module:
    """One file of the package; its path is relative to the package's folder."""

    path: PurePosixPath
    text: str

    @property
    def room(self) -> str:
        return self.path.parts[0].removesuffix(".py")

    @property
    def folder(self) -> str:
        return ".".join(("isogloss", *self.path.parts[:-1]))

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    def imports(self) -> Iterator[Import]:
        for node, runs in import_nodes([self.tree]):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            else:
                base = resolve_name("." * node.level + (node.module or ""), self.folder)
                if base == "isogloss":  # from isogloss import vectors: a room, or a public name
                    targets = [
                        f"isogloss.{alias.name}" if alias.name in ROOMS else "isogloss"
                        for alias in node.names
                    ]
                else:
                    targets = [base]
            for target in targets:
                yield Import(node.lineno, target, runs)


def import_nodes(
    nodes: Iterable[ast.AST], runs: bool = True
) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import, and whether importing the module runs it."""
    for node in nodes:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node, runs
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from import_nodes(node.body, False)
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from import_nodes(node.body, False)
                yield from import_nodes(node.orelse, runs)
            case _:
                yield from import_nodes(ast.iter_child_nodes(node), runs)


def wrong_way(module: Module) -> Iterator[str]:
    if module.path.name == "__init__.py" and len(module.path.parts) == 1:
        return
    if module.room not in ROOMS:
        yield f"the room {module.room!r} is not in the order; give it a place in ROOMS"
        return
    for found in module.imports():
        top, _, rest = found.target.partition(".")
        other = rest.partition(".")[0]
        if top != "isogloss" or other == module.room:
            continue
        if not other:
            if module.room not in MAY_IMPORT_FRONT:
                yield f"{found.line}: imports the package's front; import the room instead"
        elif other not in ROOMS:
            yield f"{found.line}: imports {other!r}, a room that is not in the order"
        elif ROOMS.index(other) > ROOMS.index(module.room):
            yield f"{found.line}: {module.room!r} imports {other!r}, which comes after it"


def own_front(module: Module) -> Iterator[str]:
    if module.path.name == "__init__.py" or len(module.path.parts) == 1:
        return
    for found in module.imports():
        if found.target == module.folder or found.target == f"isogloss.{module.room}":
            yield f"{found.line}: imports its own front, {found.target}; import the sibling"


def noisy(module: Module) -> Iterator[str]:
    if module.room == "cli":
        return
    for found in module.imports():
        if found.target.partition(".")[0] in TERMINAL:
            yield f"{found.line}: imports {found.target}; only cli.py writes to the terminal"
    for name, node in calls(module):
        if name == "print":
            yield f"{node.lineno}: calls print; only cli.py writes to the terminal"


def unsafe(module: Module) -> Iterator[str]:
    for found in module.imports():
        if found.target.partition(".")[0] in UNSAFE:
            yield f"{found.line}: imports {found.target}"
    for name, node in calls(module):
        if name in ("eval", "exec"):
            yield f"{node.lineno}: calls {name}"
        for keyword in node.keywords:
            off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if keyword.arg == "allow_pickle" and not off:
                yield f"{node.lineno}: allow_pickle is not False"


def foreign(module: Module) -> Iterator[str]:
    for found in module.imports():
        top = found.target.partition(".")[0]
        if found.runs_on_import and top not in CORE | {"isogloss"} | sys.stdlib_module_names:
            yield f"{found.line}: imports {top} at the top; import it where it is used, as an extra"


def too_long(module: Module) -> Iterator[str]:
    n = len(module.text.splitlines())
    if n > 300:
        yield f"has {n} lines, expected at most 300"


def calls(module: Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the name called where that is a bare one or one of `builtins`."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                yield name, node
            case ast.Call(func=ast.Attribute(value=ast.Name(id="builtins"), attr=name)):
                yield name, node
            case ast.Call():
                yield "", node


RULES: list[Callable[[Module], Iterator[str]]] = [
    wrong_way,
    own_front,
    noisy,
    unsafe,
    foreign,
    too_long,
]


def modules() -> list[Module]:
    return [
        Module(PurePosixPath(path.relative_to(PACKAGE).as_posix()), path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_source_keeps_the_rule(rule):
    offences = [f"{module.path}: {text}" for module in modules() for text in rule(module)]
    assert not offences, "\n" + "\n".join(offences)


def test_median_file_is_short():
    assert statistics.median(len(module.text.splitlines()) for module in modules()) < 100


BROKEN = [
    (wrong_way, "attic.py", "", "'attic'"),
    (wrong_way, "attic/beam.py", "", "'attic'"),
    (wrong_way, "mapping/space.py", "from isogloss.hubness.csls import csls", "'hubness'"),
    (wrong_way, "mapping/space.py", "def f():\n    import isogloss.cli", "2: 'mapping'"),
    (wrong_way, "mapping/space.py", "from ..index import exact", "'index'"),
    (wrong_way, "errors.py", "from . import engine", "'engine'"),
    (wrong_way, "errors.py", "from isogloss import read", "front"),
    (wrong_way, "cli.py", "import isogloss.attic", "'attic'"),
    (own_front, "vectors/read.py", "from isogloss.vectors import Words", "own front"),
    (own_front, "vectors/read.py", "import isogloss.vectors", "own front"),
    (own_front, "vectors/read.py", "from isogloss import vectors", "own front"),
    (own_front, "vectors/read.py", "from . import words", "own front"),
    (noisy, "engine.py", "print(1)", "print"),
    (noisy, "web/server.py", "def f():\n    from rich.console import Console", "rich"),
    (noisy, "web.py", "import click", "click"),
    (unsafe, "engine.py", "from pickle import loads", "pickle"),
    (unsafe, "engine.py", "eval('1')", "eval"),
    (unsafe, "cli.py", "import builtins\nbuiltins.exec('1')", "2: calls exec"),
    (unsafe, "engine.py", "np.load(p, allow_pickle=True)", "allow_pickle"),
    (unsafe, "engine.py", "np.load(p, allow_pickle=flag)", "allow_pickle"),
    (foreign, "engine.py", "try:\n    import faiss\nexcept ImportError:\n    pass", "faiss"),
    (foreign, "engine.py", "class A:\n    from scipy import linalg", "scipy"),
    (too_long, "engine.py", "x = 1\n" * 301, "301 lines"),
]


@pytest.mark.parametrize(("rule", "path", "text", "expected"), BROKEN)
def test_rule_sees_what_is_wrong(rule, path, text, expected):
    offences = list(rule(Module(PurePosixPath(path), text)))
    assert len(offences) == 1
    assert expected in offences[0]


SOUND = [
    ("__init__.py", "from isogloss.cli import main"),
    ("vectors/__init__.py", "from isogloss.vectors.words import Words"),
    ("vectors/read.py", "from isogloss.errors import FormatError\nfrom .words import Words"),
    ("mapping/space.py", "import isogloss.vectors"),
    ("cli.py", "from isogloss import read, sample"),
    ("cli.py", "import click\nimport isogloss\nprint(1)"),
    ("engine.py", "message = 'a pickle; eval(x)'\nnp.load(p, allow_pickle=False)\nmodel.eval()"),
    ("index/faiss.py", "def f():\n    import faiss"),
    ("engine.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dask"),
    ("engine.py", "x = 1\n" * 300),
]


@pytest.mark.parametrize(("path", "text"), SOUND)
def test_rules_let_pass_what_is_right(path, text):
    module = Module(PurePosixPath(path), text)
    assert [found for rule in RULES for found in rule(module)] == []


CHILD = """
import json, sys, time
before, start = set(sys.modules), time.process_time()
import isogloss
seconds = time.process_time() - start
new = [name for name in set(sys.modules) - before if getattr(sys.modules[name], "__file__", None)]
print(json.dumps([seconds, isogloss.__file__, new]))
"""


def test_import_is_light():
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = str(PACKAGE.parent)
    times, loaded = [], set()
    for _ in range(3):
        command = [sys.executable, "-c", CHILD]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        seconds, origin, names = json.loads(done.stdout)
        assert Path(origin).resolve() == PACKAGE / "__init__.py"
        times.append(seconds)
        loaded |= {name.partition(".")[0] for name in names}
    # Names with an underscore are the interpreter's and the compiler's own (_sysconfigdata…).
    third = {name for name in loaded - sys.stdlib_module_names if not name.startswith("_")}
    # msgspec looks for typing_extensions, and takes it where another package brought it.
    assert third - {"typing_extensions"} <= {"isogloss"} | CORE - TERMINAL
    assert min(times) < 0.3


def names(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[^\w.-]", line)[0].lower().replace("_", "-") for line in requirements}


def test_dependencies_are_the_core_and_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert names(project["dependencies"]) == CORE
    assert all(re.match(r"[\w.-]+==[\w.]+( ;|$)", pin) for pin in pins)
    assert names(project["dependencies"] + project["optional-dependencies"]["dev"]) <= names(pins)

"""Which statements of the changed files run, and by which test.

Only those files are touched, when they are compiled: before each statement one assignment is put, so that
everything else runs as fast as ever, in threads and child processes too. Names, line numbers and what a module
holds stay as they are. What ran is counted in a file that is mapped into memory: nothing has to be written when a
process ends, however it ends.
Works with Python 3.8 and later.
"""

import ast
import builtins
import json
import mmap
import os
import sys

NAME = "__redgreen_ran__"
SIZE = 1 << 20
# They compile functions themselves, and know nothing of what is put into them.
COMPILERS = ("numba", "taichi", "triton", "cython", "jax", "torch")
LIST = "asked.txt"


class Collector:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, LIST), encoding="utf-8") as lines:
            paths = [line.rstrip("\n") for line in lines if line.strip()]
        self.asked = {path: path for path in paths}
        self.names = {}
        for path in paths:
            self.names.setdefault(os.path.basename(path), []).append(path)
        self.count = 0
        self.notes = None
        self.ran = None

    def path_of(self, path, data):
        """The asked file that this is: by its path, or as a copy that was installed."""
        name = os.path.basename(path)
        if name not in self.names:
            return None
        real = os.path.realpath(path)
        if real in self.asked:
            return real
        for asked in self.names[name]:
            try:
                with open(asked, "rb") as file:
                    if file.read() == data:
                        return asked
            except OSError:
                pass
        return None

    def open(self):
        """A file for what ran and one for what that means, for this process and what it forks."""
        self.process = os.getpid()
        name = os.path.join(self.folder, "python-%d-%s" % (self.process, os.urandom(4).hex()))
        file = os.open(name + ".ran", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.ftruncate(file, SIZE)
        self.ran = mmap.mmap(file, SIZE)
        os.close(file)
        self.notes = os.open(name + ".jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        setattr(builtins, NAME, self.ran)

    def note(self, **fields):
        os.write(self.notes, json.dumps(fields).encode("ascii") + b"\n")

    def compiled(self, path, data):
        """The tree of a source with what counts in it; None where it is not asked for."""
        if self.path_of(path, data) is None:
            return None
        tree = ast.parse(data, path)
        return tree if self.count_in(tree, path, data) else None

    def count_in(self, tree, path, data):
        """Puts what counts into the tree of a source, if it is asked for."""
        asked = self.path_of(path, data)
        if asked is None:
            return False
        if self.ran is None:
            self.open()
        compiler = next((name for name in imported(tree) if name in COMPILERS), None)
        if compiler is not None:
            self.note(file=asked, problem="%s compiles its functions itself" % compiler)
            return False
        places = []
        found = [(body, self.counted(body, places)) for node in ast.walk(tree) for body in bodies(node)]
        if self.count + len(places) > SIZE:
            self.note(file=asked, problem="there are too many statements")
            return False
        for body, counted in found:
            body[:] = counted
        self.note(file=asked, first=self.count, places=places)
        self.count += len(places)
        ast.fix_missing_locations(tree)
        return True

    def counted(self, body, places):
        found = []
        for statement in body:
            is_text = isinstance(statement, ast.Expr) and is_constant(statement.value)
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if not (is_text or is_future or isinstance(statement, SAYING)):
                found.append(mark(self.count + len(places), statement))
                places.append([statement.lineno, statement.col_offset])
            found.append(statement)
        return found

    def take(self, test):
        """What ran since the last time, by this test; by none of them where it is None."""
        if self.ran is None or self.count == 0:
            return
        seen, at = [], self.ran.find(b"\x01", 0, self.count)
        while at >= 0:
            seen.append(at)
            self.ran[at] = 0
            at = self.ran.find(b"\x01", at + 1, self.count)
        if seen:
            self.note(test=test, ran=seen)


SAYING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Global,
    ast.Nonlocal,
    ast.Pass,
)


def is_constant(node):
    return isinstance(node, ast.Constant)


def bodies(node):
    """The lists of statements in a node."""
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield body


def mark(index, statement):
    """`__redgreen_ran__[index] = 1`, at the place of the statement."""
    target = ast.Subscript(
        value=ast.Name(id=NAME, ctx=ast.Load()), slice=subscript(index), ctx=ast.Store()
    )
    assignment = ast.Assign(targets=[target], value=ast.Constant(value=1, kind=None))
    for node in ast.walk(assignment):
        ast.copy_location(node, statement)
    # A jump to the line of a statement must not stop twice there.
    for node in ast.walk(assignment):
        if hasattr(node, "end_lineno"):
            node.end_lineno, node.end_col_offset = statement.lineno, statement.col_offset
    return assignment


def subscript(index):
    constant = ast.Constant(value=index, kind=None)
    return constant if sys.version_info >= (3, 9) else ast.Index(value=constant)


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


COLLECTOR = None


def start(folder):
    """Has every source that is loaded from now on pass by here."""
    global COLLECTOR
    from importlib._bootstrap_external import SourceLoader

    collector = Collector(folder)
    compile_source = SourceLoader.source_to_code

    def source_to_code(self, data, path, *args, **kwargs):
        tree = None
        try:
            if isinstance(data, bytes):
                tree = collector.compiled(os.fsdecode(path), data)
        except SyntaxError:
            pass  # Said where it is compiled as it is.
        except Exception:
            pass
        return compile_source(self, data if tree is None else tree, path, *args, **kwargs)

    SourceLoader.source_to_code = source_to_code
    COLLECTOR = collector
    watch_the_program(collector)


def watch_the_program(collector):
    """A file that is started as a program is loaded by nobody: it is followed line by line."""
    words = getattr(sys, "orig_argv", None) or []
    script = next((word for word in words[1:] if word.endswith(".py")), None)
    path = os.path.realpath(script) if script else None
    if path not in collector.asked:
        return
    collector.open()
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    places = []
    for node in ast.walk(tree):
        for body in bodies(node):
            collector.counted(body, places)
    lines = {}
    for number, (line, _) in enumerate(places):
        lines.setdefault(line, []).append(number)
    collector.note(file=path, first=0, places=places)
    collector.count = len(places)

    def follow(frame, event, _):
        if event == "call" and os.path.realpath(frame.f_code.co_filename) != path:
            return None
        for number in lines.get(frame.f_lineno, ()):
            collector.ran[number] = 1
        return follow

    import threading

    sys.settrace(follow)
    threading.settrace(follow)


def count_in(tree, path, data):
    """The same for who compiles sources in a way of its own."""
    if COLLECTOR is not None:
        COLLECTOR.count_in(tree, path, data)


def ran_by(test):
    """Says which test ran what has run since this was said last; None for none of them."""
    if COLLECTOR is not None:
        COLLECTOR.take(test)

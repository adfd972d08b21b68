"""Which files of the project are opened or loaded, and which of its files asked for that.

The one that asks is the one that names the file: where a function was only handed a path, it is whoever handed it
over. A template that the code chooses is the code's, a table that a test gives to the code is the test's.
Each pair is written once, when it is seen, so that nothing is lost however a process ends.
Works with Python 3.8 and later.
"""

import json
import os
import sys
from _thread import get_ident

# The most pairs that one process writes, and how often a file is looked at that brings nothing new.
PAIRS_MAX = 20000
LOOKS_MAX = 100
# How many values of a list are looked at, and how many frames of a stack.
VALUES_MAX = 50
FRAMES_MAX = 400
# They open sources to show them, whoever asks.
SHOWING = ("linecache.py", "inspect.py", "tokenize.py", "traceback.py")
# Folders of which nothing is a part of the project.
OUTSIDE = ("/.git/", "/.redgreen/", "/__pycache__/", "/node_modules/", "/.pytest_cache/")
WRITING = os.O_WRONLY
FOREIGN, SHOWS = 0, 1


class Watcher:
    def __init__(self, folder, root, is_foreign):
        self.folder = folder
        self.root = os.path.realpath(root) + os.sep
        self.is_foreign = is_foreign
        self.kinds = {}
        self.rebound = {}
        self.pairs = set()
        self.looks = {}
        self.targets = {}
        self.file = None
        self.process = None
        self.busy = set()

    def own(self, path):
        """The path from the root of what belongs to the project; None for anything else."""
        path = os.path.abspath(path)
        if not path.startswith(self.root):
            path = os.path.realpath(path)
        if not path.startswith(self.root):
            return None
        inside = path[len(self.root) - 1 :]
        if any(folder in inside for folder in OUTSIDE) or self.is_foreign(path):
            return None
        return inside[1:]

    def kind(self, name):
        """Of the file that a frame is from: its path where it is the project's."""
        kind = self.kinds.get(name)
        if kind is None:
            kind = FOREIGN
            if os.path.basename(name) in SHOWING:
                kind = SHOWS
            elif not name.startswith("<"):
                kind = self.own(name) or FOREIGN
            self.kinds[name] = kind
        return kind

    def target(self, path):
        """What `own` says of a path; known for those that say where they are by themselves."""
        target = self.targets.get(path, self)
        if target is self:
            target = self.own(path)
            if os.path.isabs(path) and len(self.targets) < PAIRS_MAX:
                self.targets[path] = target
        return target

    def opened(self, path):
        """A file is opened for reading."""
        path = os.fsdecode(path)
        target = self.target(path)
        if target is None or len(self.pairs) > PAIRS_MAX:
            return
        looks = self.looks.get(target, 0)
        if looks > LOOKS_MAX:
            return
        self.looks[target] = looks + 1
        asking = self.asking(target)
        if asking is not None:
            self.note(target, *asking)

    def asking(self, target):
        """The file that names the target, and whether that is sure; an empty name is the runner. None where the
        target is only shown."""
        by, frame = "", sys._getframe(4)
        for _ in range(FRAMES_MAX):
            if frame is None:
                break
            kind = self.kind(frame.f_code.co_filename)
            if kind == SHOWS and not by:
                return None
            if kind not in (FOREIGN, SHOWS):
                by = kind
                given = self.given(frame, self.root + target, self.root + by)
                if given is None:
                    return by, True
                if not given:
                    return by, False
            frame = frame.f_back
        return by, True

    def given(self, frame, path, own):
        """Whether a function was handed the path: None where it was not, False where it cannot be known."""
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
        if not count or code.co_name == "<module>":
            return None
        values = frame.f_locals
        for name in code.co_varnames[:count]:
            value = values.get(name)
            if denotes(value, path, own):
                return name not in self.stored(code)
        first = values.get(code.co_varnames[0]) if code.co_varnames[0] == "self" else None
        held = getattr(first, "__dict__", None)
        if isinstance(held, dict) and any(denotes(value, path, own) for value in list(held.values())[:VALUES_MAX]):
            return False
        return None

    def stored(self, code):
        """The names that a function gives new values."""
        names = self.rebound.get(code)
        if names is None:
            import dis

            found = dis.get_instructions(code)
            names = {it.argval for it in found if it.opname.startswith(("STORE_FAST", "STORE_DEREF"))}
            names = {name for it in names for name in (it if isinstance(it, tuple) else (it,))}
            self.rebound[code] = names
        return names

    def note(self, target, by, is_sure):
        pair = (target, by, is_sure)
        if by == target or pair in self.pairs or not os.path.isfile(self.root + target):
            return
        self.pairs.add(pair)
        if self.process != os.getpid():
            self.process = os.getpid()
            name = "python-%d-%s.jsonl" % (self.process, os.urandom(4).hex())
            path = os.path.join(self.folder, name)
            self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        line = {"file": target, "by": by}
        if not is_sure:
            line["unsure"] = True
        os.write(self.file, json.dumps(line).encode("ascii") + b"\n")

    def started(self, words):
        """Another program is given files: what it reads is not seen."""
        for word in words[:VALUES_MAX]:
            if isinstance(word, (str, bytes, os.PathLike)):
                word = os.fsdecode(word)
                if len(word) < 4096 and "\0" not in word and "\n" not in word and os.path.isfile(word):
                    self.opened(word)


def denotes(value, path, own):
    """Whether a value is the path, or a folder around it that is not that of the source which has it."""
    if isinstance(value, (list, tuple)):
        return any(denotes(one, path, own) for one in value[:VALUES_MAX] if not isinstance(one, (list, tuple)))
    if isinstance(value, bytes):
        value = value[:4096].decode("utf-8", "replace")
    if not isinstance(value, str):
        if not type(value).__module__.startswith(("pathlib", "py._path", "_pytest")) or not hasattr(value, "__fspath__"):
            return False
        value = value.__fspath__()
    if not value or len(value) > 4096 or "\n" in value or "\0" in value:
        return False
    value = os.path.abspath(value)
    if value == path or os.path.realpath(value) == path:
        return True
    return path.startswith(value + os.sep) and not own.startswith(value + os.sep)


def start(folder, root, is_foreign):
    """Has everything that this process opens from now on noticed; foreign files are not the project's."""
    watcher = Watcher(folder, root, is_foreign)

    def hear(event, args):
        thread = get_ident()
        if thread in watcher.busy:
            return
        watcher.busy.add(thread)
        try:
            HEARD[event](watcher, args)
        except Exception:
            pass
        finally:
            watcher.busy.discard(thread)

    # Called for whatever happens in the interpreter, a million times: what it needs is at hand.
    def hook(event, args, heard=frozenset(HEARD), hear=hear):
        if event in heard:
            hear(event, args)

    sys.addaudithook(hook)


def heard_open(watcher, args):
    path, mode, flags = args
    if isinstance(path, int):
        return
    if mode is None:
        if flags & WRITING:
            return
    elif "w" in mode or "a" in mode or "x" in mode:
        return
    watcher.opened(path)


def heard_database(watcher, args):
    name = os.fsdecode(args[0])
    if name.startswith("file:"):
        name = name[len("file:") :].split("?")[0]
    if name and not name.startswith(":"):
        watcher.opened(name)


def heard_program(watcher, args):
    words = args[1]
    watcher.started(words.split() if isinstance(words, str) else list(words))


def heard_shell(watcher, args):
    watcher.started(os.fsdecode(args[0]).split())


HEARD = {
    "open": heard_open,
    "sqlite3.connect": heard_database,
    "subprocess.Popen": heard_program,
    "os.posix_spawn": heard_program,
    "os.system": heard_shell,
}

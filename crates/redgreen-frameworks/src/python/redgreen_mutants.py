"""Tries mutants in one pytest process: the tests are collected once, and each mutant has a forked child of its own.

$REDGREEN_MUTANTS names a file of JSON: the mutants with their files, texts and tests. What becomes of each is a line of
JSON in the file beside it, `.fates`. A child has the functions of the edited file with the code of the mutant, which
costs no import. What is no function, is not loaded yet, or is run in another process, is not decided here. What children
write is thrown away with the corner that this runs in.
"""

import gc
import json
import os
import select
import signal
import sys
import threading
import time
import types

NONSENSE = ("TypeError", "AttributeError", "NameError", "UnboundLocalError", "ImportError")


def asked():
    path = os.environ.pop("REDGREEN_MUTANTS", None)
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            wanted = json.load(file)
        wanted["fates"] = path + ".fates"
        return wanted
    except (OSError, ValueError):
        return None


def below(code):
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def pairs(old, new):
    """The code of each function in two texts, as far as they have the same functions."""
    olds, news = below(old), below(new)
    if [code.co_name for code in olds] == [code.co_name for code in news]:
        for one, other in zip(olds, news):
            yield one, other
            yield from pairs(one, other)


def key(code):
    return (code.co_name, code.co_firstlineno)


class Sources:
    """The functions of a file, by where they begin in it as it is."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            with open(path, "rb") as file:
                whole = compile(file.read(), path, "exec", dont_inherit=True)
            functions = {}
            for function in gc.get_objects():
                if isinstance(function, types.FunctionType):
                    if function.__code__.co_filename == path:
                        functions.setdefault(key(function.__code__), []).append(function)
            self.known[path] = (whole, functions)
        return self.known[path]

    def edit(self, path, text):
        """Gives the functions of a file the code of another text; what they have now, nothing where they cannot."""
        whole, functions = self.of(path)
        edited = []
        for old, new in pairs(whole, compile(text, path, "exec", dont_inherit=True)):
            if (old.co_code, old.co_consts, old.co_names) == (new.co_code, new.co_consts, new.co_names):
                continue
            for function in functions.get(key(old), []):
                if function.__code__.co_freevars != new.co_freevars:
                    return []
                function.__code__ = new
                edited.append(new)
        return edited


class Ends:
    """How the tests of a child ended."""

    def __init__(self, path, judge, details):
        self.path = path
        self.judge = judge
        self.details = details
        self.passed = 0
        self.blind = False
        self.nonsense = 0
        self.noticed = False

    def pytest_runtest_logreport(self, report):
        outcome = self.judge(report)
        if outcome in ("failed", "errored"):
            details = getattr(report, self.details, None) or {}
            frames = details.get("frames") or [{}]
            of_types = details.get("type") in NONSENSE
            if of_types and frames[-1].get("file") == self.path:
                self.nonsense += 1
            else:
                self.noticed = True
        elif report.when == "call" and outcome == "passed":
            self.passed += 1

    def fate(self, items):
        if self.noticed:
            return "noticed"
        if self.nonsense:
            return "nonsense"
        return "survived" if self.passed == len(items) and not self.blind else "unknown"


class Watch:
    """Whether one of some codes is called in this process: a process that a test starts has the file as it is."""

    def __init__(self, edited):
        self.edited = {id(code) for code in edited}
        self.seen = False
        sys.setprofile(self.profile)
        threading.setprofile(self.profile)

    def profile(self, frame, event, _):
        if event == "call" and id(frame.f_code) in self.edited:
            self.seen = True


def run(session, items, ends, watch):
    """In the child: runs the tests until one notices."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for file in (1, 2):
        os.dup2(quiet, file)
    session.config.pluginmanager.register(ends, "redgreen-ends")
    for index, item in enumerate(items):
        following = items[index + 1] if index + 1 < len(items) else None
        watch.seen = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        ends.blind = ends.blind or not watch.seen
        if ends.noticed:
            break
    return ends.fate(items)


def child(session, sources, mutant, items, ends):
    """Tries a mutant in a child, and says what became of it."""
    seen, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        fate = "unknown"
        try:
            os.close(seen)
            os.setpgid(0, 0)
            edited = sources.edit(mutant["file"], mutant["text"])
            if edited:
                fate = run(session, items, ends, Watch(edited))
        except BaseException:
            fate = "unknown"
        finally:
            os.write(said, fate.encode("ascii"))
            os._exit(0)
    os.close(said)
    return pid, seen


def awaited(pid, seen, seconds):
    ready, _, _ = select.select([seen], [], [], max(seconds, 0))
    fate = os.read(seen, 100).decode("ascii") if ready else None
    os.close(seen)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(pid, 0)
    return fate


def try_all(session, wanted, identity, judge, details):
    """Tries what is asked for; True if that was all there was to do."""
    items = {identity(item.nodeid): item for item in session.items}
    sources = Sources()
    settled = set()
    survivors = {}
    until = time.monotonic() + wanted["seconds"] if wanted["seconds"] is not None else None
    with open(wanted["fates"], "a", encoding="ascii") as fates:
        for mutant in wanted["mutants"]:
            left = wanted["seconds_each"] if until is None else until - time.monotonic()
            if left <= 0:
                break
            if not wanted["all"] and mutant["group"] in settled:
                continue
            names = mutant["tests"] or list(items)
            if any(name not in items for name in names):
                continue
            its_items = [items[name] for name in names]
            try:
                sources.of(mutant["file"])
            except (OSError, SyntaxError, ValueError):
                continue
            ends = Ends(mutant["file"], judge, details)
            each = wanted["seconds_each"]
            pid, seen = child(session, sources, mutant, its_items, ends)
            fate = awaited(pid, seen, min(left, each))
            if fate is None:
                fate = "noticed" if left >= each else "unknown"
            group = mutant["group"]
            if fate == "survived" and mutant["tells"]:
                survivors.setdefault(group, set()).add(mutant["place"])
            if len(survivors.get(group, ())) >= wanted["enough"] or (fate == "noticed" and mutant["clears"]):
                settled.add(group)
            fates.write(json.dumps({"mutant": mutant["mutant"], "fate": fate}) + "\n")
            fates.flush()

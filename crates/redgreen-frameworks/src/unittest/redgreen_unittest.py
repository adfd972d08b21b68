"""redgreen's eyes inside unittest: writes what happens, as it happens, to $REDGREEN_STREAM.

The format is the report stream of redgreen, one JSON object a line. The user's run is never broken:
whatever goes wrong in here stays in here, nothing is printed, no outcome is changed. Everything that
runs its tests with a TextTestRunner is seen: `python -m unittest`, `unittest.main()`, Django.
Works with Python 3.8 and later.
"""

import functools
import hashlib
import json
import os
import re
import time
import traceback
import unittest

try:
    import redgreen_children
    import redgreen_replaced
except Exception:
    redgreen_children = redgreen_replaced = None
try:
    import redgreen_coverage
except Exception:
    redgreen_coverage = None

MESSAGE_CHARS = 16000
STACK_CHARS = 32000
FRAMES = 60
# Taken now: the code under test may put something else in their place.
WRITE, DUMPS, PROCESS = os.write, json.dumps, os.getpid

# Worst last.
SEVERITY = ["skipped", "passed", "expected_failure", "failed", "errored"]
IMPORT_PLACE = re.compile(r'^\s*File "(.+?)", line (\d+)', re.MULTILINE)
DIFFER = re.compile(r"^(Lists|Tuples|Sequences|Dicts) differ: ")
ERROR_LINE = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$", re.MULTILINE)


def guarded(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception:
            return None

    return wrapper


def bounded(text, limit):
    text = str(text)
    if len(text) <= limit:
        return text
    half = limit // 2
    return "%s\n[... %d characters left out ...]\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def type_name(kind):
    return getattr(kind, "__name__", str(kind))


def frames_of(trace):
    """Own frames, outermost first; those of unittest itself say nothing."""
    found = []
    for frame, line in traceback.walk_tb(trace):
        code = frame.f_code
        if "__unittest" in frame.f_globals or code.co_filename.startswith("<"):
            continue
        file = os.path.abspath(code.co_filename)
        found.append({"file": file, "line": line, "function": code.co_name})
    return found[-FRAMES:]


def failure_of(error, phase=None):
    kind, value, trace = error
    try:
        message = str(value)
    except Exception:
        message = "<%s that cannot be shown>" % type_name(kind)
    failure = {
        "type": type_name(kind),
        "message": bounded(message, MESSAGE_CHARS),
        "stack": bounded("".join(traceback.format_exception(kind, value, trace)), STACK_CHARS),
        "frames": frames_of(trace),
    }
    if phase:
        failure["phase"] = phase
    first = DIFFER.sub("", message.split("\n", 1)[0])
    sides = first.split(" : ", 1)[0].split(" != ")
    if isinstance(value, AssertionError) and len(sides) == 2:
        failure["actual"], failure["expected"] = sides
    return failure


def id_of(test):
    """The id; made printable where it is not, so that it is the same in a list of tests to run."""
    text = test.id()
    if text.isprintable():
        return text
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return "%s#%s" % (shown, digest[:8])


def place_of(test):
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    code = getattr(getattr(method, "__func__", method), "__code__", None)
    if code is None:
        return {}
    return {"file": os.path.abspath(code.co_filename), "line": code.co_firstlineno}


def tests_in(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite) or hasattr(test, "_tests"):
            for inner in tests_in(test):
                yield inner
        elif test is not None:
            yield test


def is_import_failure(test):
    return type(test).__module__ == "unittest.loader" and type(test).__name__ == "_FailedTest"


class Reporter:
    """One run of a suite."""

    def __init__(self, path, only):
        self.pid = os.getpid()
        self.run = "unittest-%d" % self.pid
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.only = only
        self.outcomes = {}
        self.started = {}
        self.failures = {}
        self.red = False

    def write(self, event, **fields):
        if PROCESS() != self.pid:
            return
        record = {"event": event, "run": self.run}
        record.update((key, value) for key, value in fields.items() if value is not None)
        WRITE(self.file, DUMPS(record, ensure_ascii=True).encode("ascii") + b"\n")

    def begin(self, suite):
        """Says what is going to run; with a list of tests, only those are left."""
        self.write("hello", runner="unittest")
        tests = list(tests_in(suite))
        if self.only is not None:
            tests = [test for test in tests if id_of(test) in self.only or is_import_failure(test)]
            suite = unittest.TestSuite(tests)
        for test in tests:
            if not is_import_failure(test):
                self.write("collected", test=id_of(test))
        return suite

    @guarded
    def start(self, test):
        self.outcomes.pop(id_of(test), None)
        self.failures.pop(id_of(test), None)
        self.started[id_of(test)] = time.monotonic()
        self.ran_by(None)
        if not is_import_failure(test):
            self.write("start", test=id_of(test), **place_of(test))

    @guarded
    def outcome(self, test, outcome, error=None):
        self.red = self.red or outcome in ("failed", "errored")
        if is_import_failure(test):
            self.import_failure(error)
        elif id_of(test) not in self.started:
            # A class or a module that could not be set up or cleaned up.
            failure = failure_of(error) if error else {"type": "Skipped", "message": ""}
            if outcome != "skipped":
                self.outside("runtime_error", failure, id_of(test))
        else:
            before = self.outcomes.get(id_of(test))
            if before is None or SEVERITY.index(outcome) > SEVERITY.index(before):
                self.outcomes[id_of(test)] = outcome
            if error:
                self.add_failure(id_of(test), failure_of(error))

    def add_failure(self, test, failure):
        """The first failure of a test is its failure; others, as of its cleaning up, are named."""
        first = self.failures.setdefault(test, failure)
        if first is not failure:
            more = "%s\nalso: %s: %s" % (first["message"], failure["type"], failure["message"])
            first["message"] = bounded(more, MESSAGE_CHARS)

    def outside(self, kind, failure, name=None):
        message = failure["message"]
        self.write(
            "error",
            kind=kind,
            type=failure["type"],
            message="%s: %s" % (name, message) if name else message,
            stack=failure.get("stack"),
            frames=failure.get("frames"),
            file=failure.get("file"),
            line=failure.get("line"),
        )

    def import_failure(self, error):
        """unittest keeps the traceback of an import as text."""
        text = str(error[1])
        failure = {"type": type_name(error[0]), "message": text, "stack": text}
        places = IMPORT_PLACE.findall(text)
        names = ERROR_LINE.findall(text.rstrip().rsplit("\n", 1)[-1])
        if names:
            failure["type"], failure["message"] = names[-1][0].rsplit(".", 1)[-1], names[-1][1]
        if places:
            failure["file"], failure["line"] = places[-1][0], int(places[-1][1])
        self.outside("compile_error", failure)

    @guarded
    def look_for_replaced(self):
        if redgreen_replaced is not None:
            redgreen_replaced.tell(self.write)

    @guarded
    def finish(self, result):
        """Says goodbye; what unittest counted must be what was seen."""
        self.look_for_replaced()
        counted = sum(
            len(getattr(result, name, ()) or ())
            for name in ("failures", "errors", "unexpectedSuccesses")
        )
        if counted and not self.red:
            failure = {"type": "Unreconciled", "message": "unittest counted %d failures, and none was seen" % counted}
            self.outside("runtime_error", failure)
        self.write("bye", exit=0 if result.wasSuccessful() else 1)

    @guarded
    def ran_by(self, test):
        if redgreen_coverage is not None:
            redgreen_coverage.ran_by(test)

    @guarded
    def stop(self, test):
        self.ran_by(id_of(test))
        self.look_for_replaced()
        if is_import_failure(test):
            return
        spent = time.monotonic() - self.started.get(id_of(test), time.monotonic())
        outcome = self.outcomes.get(id_of(test))
        if outcome is None:
            # The framework said nothing, so neither do we: a test without an end is not a pass.
            return
        self.write(
            "end",
            test=id_of(test),
            outcome=outcome,
            ms=int(spent * 1000),
            failure=self.failures.get(id_of(test)),
        )
        self.started.pop(id_of(test), None)

    def listen(self, result):
        """Listens to a result, before whatever its methods do with it."""
        report = self.outcome

        def before(name, tell):
            method = getattr(result, name, None)
            if method is None:
                return

            @functools.wraps(method)
            def reported(*args, **kwargs):
                tell(*args)
                return method(*args, **kwargs)

            setattr(result, name, reported)

        before("startTest", lambda test: self.start(test))
        before("addSuccess", lambda test: report(test, "passed"))
        before("addFailure", lambda test, error: report(test, "failed", error))
        before("addError", lambda test, error: report(test, "errored", error))
        before("addSkip", lambda test, reason: report(test, "skipped"))
        before("addExpectedFailure", lambda test, error: report(test, "expected_failure"))
        before("addUnexpectedSuccess", lambda test: self.unexpected(test))
        before("addSubTest", lambda test, subtest, error: self.subtest(test, subtest, error))
        before("stopTest", lambda test: self.stop(test))
        return result

    @guarded
    def unexpected(self, test):
        self.outcome(test, "failed")
        if id_of(test) in self.started:
            message = "passed, although it was expected to fail"
            self.failures[id_of(test)] = {"type": "UnexpectedSuccess", "message": message}

    @guarded
    def subtest(self, test, subtest, error):
        if error is None:
            return
        asserted = issubclass(error[0], test.failureException)
        self.outcome(test, "failed" if asserted else "errored")
        failure = failure_of(error)
        describe = getattr(subtest, "_subDescription", lambda: "")
        failure["message"] = "%s: %s" % (describe(), failure["message"])
        self.add_failure(id_of(test), failure)


def read_only(path):
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as lines:
            return {line.rstrip("\n") for line in lines if line.strip()}
    except (OSError, ValueError):
        return None


def begin_run(runner, suite):
    """A reporter for this run and its suite; none for a run inside of another."""
    path = os.environ.pop("REDGREEN_STREAM", None)
    if redgreen_children is not None:
        redgreen_children.let_go()
    only = read_only(os.environ.pop("REDGREEN_ONLY", None))
    in_corner = os.environ.pop("REDGREEN_CORNER", None)
    if not path:
        return None, suite
    try:
        if in_corner:
            runner.failfast = False
        reporter = Reporter(path, only)
        suite = reporter.begin(suite)
        make_result = runner._makeResult
        runner._makeResult = lambda: reporter.listen(make_result())
        return reporter, suite
    except Exception:
        return None, suite


def watch(runner):
    """Makes runs of this class of runners report."""
    original = runner.run

    @functools.wraps(original)
    def run(self, test):
        path = os.environ.get("REDGREEN_STREAM")
        only = os.environ.get("REDGREEN_ONLY")
        reporter, suite = begin_run(self, test)
        result = original(self, suite)
        if reporter is not None:
            reporter.finish(result)
            # A second suite of the same program is seen as well.
            guarded(lambda: os.environ.update({"REDGREEN_STREAM": path}))()
            if only:
                guarded(lambda: os.environ.update({"REDGREEN_ONLY": only}))()
        return result

    runner.run = run

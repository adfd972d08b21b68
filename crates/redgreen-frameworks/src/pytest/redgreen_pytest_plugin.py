"""redgreen's eyes inside pytest: writes what happens, as it happens, to the file $REDGREEN_STREAM.

The format is the report stream of redgreen, one JSON object a line. Rules kept here:
- The user's run is never broken: every hook is guarded, nothing is printed, no outcome is changed.
- A file that cannot be collected does not keep the others from running, and in a corner nothing does:
  the run has failed all the same, and what became of every other test is known.
- Outcomes are taken where they happen: from the call of the test's function and the exception that
  pytest caught, next to the report that other plugins may rewrite afterwards. At the end they are
  compared with what pytest counted; a difference is an error.
- Only the process that loaded the plugin writes (not forked children, not xdist workers, not a
  pytest that a test starts); xdist workers attach what they know to the reports they send.
Works with Python 3.8 and later, pytest 6 and later.
"""

import functools
import hashlib
import json
import os

import pytest

try:
    import redgreen_children
    import redgreen_replaced
except Exception:
    redgreen_children = redgreen_replaced = None
try:
    import redgreen_coverage
except Exception:
    redgreen_coverage = None
try:
    import redgreen_mutants
except Exception:
    redgreen_mutants = None

MESSAGE_CHARS = 16000
STACK_CHARS = 32000
VALUE_CHARS = 4000
FRAMES = 60
ID_CHARS = 400
ATTRIBUTE = "redgreen_details"
# Taken now: the code under test may put something else in their place.
WRITE, DUMPS, PROCESS = os.write, json.dumps, os.getpid

# Worst last.
SEVERITY = {
    "skipped": 0,
    "passed": 1,
    "expected_failure": 2,
    "unexpected_pass": 3,
    "failed": 4,
    "errored": 5,
}


class Stream:
    """The file that lines are appended to; one write for each line."""

    def __init__(self, path):
        self.pid = os.getpid()
        self.run = "pytest-%d" % self.pid
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, event, **fields):
        if PROCESS() != self.pid:
            return
        record = {"event": event, "run": self.run}
        record.update((key, value) for key, value in fields.items() if value is not None)
        WRITE(self.file, DUMPS(record, ensure_ascii=True).encode("ascii") + b"\n")


def open_stream():
    path = os.environ.pop("REDGREEN_STREAM", None)
    if redgreen_children is not None:
        redgreen_children.let_go()
    if not path:
        return None
    try:
        stream = Stream(path)
        stream.write("hello", runner="pytest", version=pytest.__version__)
        return stream
    except Exception:
        return None


def read_only():
    path = os.environ.pop("REDGREEN_ONLY", None)
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as lines:
            return {line.rstrip("\n") for line in lines if line.strip()}
    except (OSError, ValueError):
        return None


ONLY = read_only()
IN_CORNER = bool(os.environ.pop("REDGREEN_CORNER", None))
STREAM = open_stream()
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
CLAIMED = []
MUTANTS = redgreen_mutants and redgreen_mutants.asked()


def guarded(function):
    """The run is the user's: whatever goes wrong in here stays in here."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception:
            return None

    return wrapper


def clean_id(nodeid):
    """A node id without characters that change how it is shown; distinct ids stay distinct."""
    visible = "".join(
        character
        if character.isprintable()
        else character.encode("unicode_escape", "backslashreplace").decode("ascii")
        for character in nodeid
    )
    if visible != nodeid or len(visible) > ID_CHARS:
        digest = hashlib.sha256(nodeid.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        visible = "%s#%s" % (visible[:ID_CHARS], digest)
    return visible


def bounded(text, limit):
    text = str(text)
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return "%s\n[... %d characters left out ...]\n%s" % (text[:half], left_out, text[-half:])


def safe_text(value, limit=MESSAGE_CHARS):
    try:
        return bounded(value, limit)
    except Exception:
        return "<%s that cannot be shown>" % type(value).__name__


def safe_repr(value):
    if isinstance(value, str):
        return bounded(repr(value), VALUE_CHARS)
    try:
        from _pytest._io.saferepr import saferepr

        return bounded(saferepr(value, maxsize=VALUE_CHARS), VALUE_CHARS)
    except Exception:
        return "<%s that cannot be shown>" % type(value).__name__


def absolute_path(name):
    # `<string>` and `<frozen importlib._bootstrap>` are no files.
    return name if name.startswith("<") else os.path.abspath(name)


def frames_of(traceback):
    """All frames of a traceback, outermost first."""
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(
            {
                "file": absolute_path(code.co_filename),
                "line": traceback.tb_lineno,
                "function": code.co_name,
            }
        )
        traceback = traceback.tb_next
    if len(frames) > FRAMES:
        frames = frames[: FRAMES // 3] + frames[-(FRAMES - FRAMES // 3) :]
    return frames


def describe(exception):
    details = {
        "type": type(exception).__name__,
        "message": safe_text(exception),
        "frames": frames_of(exception.__traceback__),
    }
    if isinstance(exception, SyntaxError) and exception.filename and exception.lineno:
        details["file"] = absolute_path(exception.filename)
        details["line"] = exception.lineno
        details["message"] = safe_text(exception.msg)
    return details


def long_text(report):
    try:
        return bounded(report.longreprtext, STACK_CHARS)
    except Exception:
        return None


@guarded
def ran_by(nodeid):
    if redgreen_coverage is not None:
        redgreen_coverage.ran_by(None if nodeid is None else clean_id(nodeid))


def is_skip(exception):
    import unittest

    return isinstance(exception, (pytest.skip.Exception, unittest.SkipTest))


class NotCalled(Exception):
    """pytest says that a test passed whose function was not called."""


def is_called(item):
    """Whether pytest itself calls the function of this test: no plugin's item does it its own way."""
    owner = next((kind for kind in type(item).__mro__ if "runtest" in vars(kind)), None)
    return owner is pytest.Function


class Details:
    """Runs where the tests run, workers of xdist included: attaches what is known to reports."""

    def __init__(self):
        self.comparison = None
        # How the call of each test's function ended: with which exception, if any.
        self.calls = {}
        # The test whose function is being called: what is reported meanwhile is a part of it.
        self.calling = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        ran_by(None)
        yield
        ran_by(item.nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        self.calling = pyfuncitem.nodeid
        outcome = yield
        self.calling = None
        self.called(pyfuncitem, outcome)

    @guarded
    def called(self, item, outcome):
        error = getattr(outcome, "excinfo", None)
        self.calls[item.nodeid] = error[1] if error else None

    def raised_by(self, item, call, report):
        """The exception of this phase, also where somebody has lost it on the way."""
        caught = None if call.excinfo is None else call.excinfo.value
        if call.when != "call" or self.calling == item.nodeid:
            return caught
        if item.nodeid in self.calls:
            own = self.calls.pop(item.nodeid)
            return caught or own
        if caught is None and report.passed and is_called(item):
            return NotCalled("pytest says that it passed, and did not call it")
        return caught

    @guarded
    def pytest_assertrepr_compare(self, config, op, left, right):
        # By convention the left side is what the test got and the right side what it wanted.
        # Nothing but `==` tells which value was wanted.
        self.comparison = None
        if op == "==":
            self.comparison = {"actual": safe_repr(left), "expected": safe_repr(right)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        self.comparison = None

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        self.attach(outcome, item, call)

    @guarded
    def attach(self, outcome, item, call):
        report = outcome.get_result()
        exception = self.raised_by(item, call, report)
        if exception is None:
            return
        details = describe(exception)
        details["raised"] = not is_skip(exception)
        message = details["message"]
        if self.comparison and isinstance(exception, AssertionError) and " == " in message:
            details.update(self.comparison)
        self.comparison = None
        setattr(report, ATTRIBUTE, details)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector):
        outcome = yield
        self.attach_collection(outcome)

    @guarded
    def attach_collection(self, outcome):
        report = outcome.get_result()
        call = getattr(report, "call", None)
        if call is None or call.excinfo is None or not report.failed:
            return
        exception = call.excinfo.value
        # pytest wraps what an import raised in an error of its own.
        setattr(report, ATTRIBUTE, describe(exception.__cause__ or exception))


class Reporter:
    """Runs in the process that redgreen started: writes the stream."""

    def __init__(self, config, stream):
        self.config = config
        self.stream = stream
        self.pending = {}
        self.collected = set()
        self.broken = set()
        self.red = False

    def absolute(self, location):
        if not location or not location[0]:
            return None, None
        root = str(getattr(self.config, "rootpath", "") or os.getcwd())
        line = None if location[1] is None else location[1] + 1
        return os.path.normpath(os.path.join(root, location[0])), line

    @guarded
    def announce(self, nodeids):
        for nodeid in nodeids:
            if nodeid not in self.collected:
                self.collected.add(nodeid)
                self.stream.write("collected", test=clean_id(nodeid))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        if not self.config.getoption("collectonly", False):
            self.announce(item.nodeid for item in getattr(session, "items", []))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        if ONLY is not None:
            node.workerinput[ATTRIBUTE] = sorted(ONLY)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node, ids):
        self.announce(ids)

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_runtest_logstart(self, nodeid, location):
        file, line = self.absolute(location)
        self.pending[nodeid] = {
            "outcome": None,
            "failure": None,
            "ms": 0,
            "file": file,
            "line": line,
        }
        self.stream.write("start", test=clean_id(nodeid), file=file, line=line)

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_runtest_logreport(self, report):
        state = self.pending.setdefault(
            report.nodeid, {"outcome": None, "failure": None, "ms": 0, "file": None, "line": None}
        )
        if report.outcome == "rerun":
            state.update(outcome=None, failure=None)
            return
        state["ms"] += (getattr(report, "duration", 0) or 0) * 1000
        outcome = judge(report)
        if outcome is not None:
            if state["outcome"] is None or SEVERITY[outcome] > SEVERITY[state["outcome"]]:
                state["outcome"] = outcome
            state["failure"] = joined(state["failure"], failure_of(report, outcome))
        if report.when not in ("setup", "call"):
            self.end(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_runtest_logfinish(self, nodeid, location):
        self.end(nodeid)

    def end(self, nodeid):
        state = self.pending.pop(nodeid, None)
        if state is None or state["outcome"] is None:
            return
        self.red = self.red or state["outcome"] in ("failed", "errored")
        self.look_for_replaced()
        self.stream.write(
            "end",
            test=clean_id(nodeid),
            outcome=state["outcome"],
            ms=int(state["ms"]),
            failure=state["failure"],
            file=state["file"],
            line=state["line"],
        )

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_collectreport(self, report):
        if not report.failed or report.nodeid in self.broken:
            return
        self.broken.add(report.nodeid)
        details = dict(getattr(report, ATTRIBUTE, None) or {})
        details.setdefault("type", "CollectError")
        details.setdefault("message", last_line(long_text(report)) or "collection failed")
        if "file" not in details and report.nodeid:
            self.fallback_place(details, report.nodeid)
        self.stream.write("error", kind="compile_error", stack=long_text(report), **details)

    def fallback_place(self, details, nodeid):
        file, _ = self.absolute((nodeid.split("::")[0], None))
        if not details.get("frames") and file and os.path.isfile(file):
            details["file"] = file

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_internalerror(self, excrepr, excinfo):
        self.outside(excinfo.value, str(excrepr))

    @pytest.hookimpl(tryfirst=True)
    @guarded
    def pytest_keyboard_interrupt(self, excinfo):
        # After errors in the collection pytest interrupts itself; those were written already.
        if not (self.broken and isinstance(excinfo.value, pytest.Session.Interrupted)):
            self.outside(excinfo.value, None)

    def outside(self, exception, stack):
        details = describe(exception)
        if stack:
            stack = bounded(stack, STACK_CHARS)
        self.stream.write("error", kind="runtime_error", stack=stack, **details)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        yield
        self.finish(session, exitstatus)

    @guarded
    def look_for_replaced(self):
        if redgreen_replaced is not None:
            redgreen_replaced.tell(self.stream.write)

    @guarded
    def reconcile(self, session):
        """What pytest counted must be what was seen."""
        counted = int(getattr(session, "testsfailed", 0) or 0)
        if counted and not (self.red or self.broken):
            message = "pytest counted %d failures, and none was seen" % counted
            self.stream.write("error", kind="runtime_error", type="Unreconciled", message=message)

    @guarded
    def finish(self, session, exitstatus):
        self.look_for_replaced()
        self.reconcile(session)
        self.stream.write("bye", exit=int(getattr(session, "exitstatus", exitstatus)))


def lines_of(text):
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def first_line(text):
    return next(iter(lines_of(text)), None)


def last_line(text):
    return next(reversed(lines_of(text)), None)


def judge(report):
    """How this phase of the test ended; None for a set-up or tear-down that went well."""
    details = getattr(report, ATTRIBUTE, None) or {}
    around = report.when != "call"
    if hasattr(report, "wasxfail"):
        if report.skipped:
            return "expected_failure"
        if report.passed:
            return None if around else "unexpected_pass"
    if report.failed:
        return "errored" if around else "failed"
    if report.skipped:
        return "skipped"
    if details.get("raised"):
        # An exception reached pytest, and something rewrote the report into a pass.
        return "errored" if around else "failed"
    return None if around else "passed"


def failure_of(report, outcome):
    if outcome not in ("failed", "errored"):
        return None
    details = dict(getattr(report, ATTRIBUTE, None) or {})
    details.pop("raised", None)
    details["stack"] = long_text(report)
    details["phase"] = report.when if report.when in ("setup", "call", "teardown") else "crash"
    if "type" not in details:
        details["type"] = "WorkerCrash" if details["phase"] == "crash" else "Failure"
        details["message"] = last_line(details["stack"]) or "failed"
    if getattr(report, "passed", False):
        details["message"] += "\n(a plugin rewrote the report of this test into a pass)"
    context = getattr(report, "context", None)
    if context is not None:
        values = dict(getattr(context, "kwargs", None) or {})
        words = ["%s=%s" % (key, str(value).strip("\"'")) for key, value in values.items()]
        name = safe_text(" ".join([str(getattr(context, "msg", None) or "subtest")] + words), 200)
        details["message"] = "%s: %s" % (name, details["message"])
    return details


def joined(first, second):
    """The first failure of a test is the one to look at; later ones are mentioned."""
    if first is None or second is None:
        return first or second
    line = first_line(second["message"]) or ""
    also = "\nalso in %s: %s: %s" % (second["phase"], second["type"], line)
    first["message"] = bounded(first["message"] + also, MESSAGE_CHARS)
    return first


def claim(config):
    """The first session of this process is the one redgreen watches."""
    if CLAIMED or (STREAM is None and not IS_WORKER):
        return
    CLAIMED.append(config)
    config.pluginmanager.register(Details(), "redgreen-details")
    if STREAM is not None:
        config.pluginmanager.register(Reporter(config, STREAM), "redgreen-reporter")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    guarded(claim)(early_config)
    outcome = yield
    if STREAM is not None and CLAIMED == [early_config]:
        report_conftest(outcome)


@guarded
def report_conftest(outcome):
    error = getattr(outcome, "excinfo", None)
    if not error:
        return
    exception = error[1]
    cause = getattr(exception, "cause", None) or exception.__cause__ or exception
    excinfo = getattr(exception, "excinfo", None)
    if isinstance(excinfo, tuple):
        cause = excinfo[1]
    STREAM.write("error", kind="compile_error", **describe(cause))
    STREAM.write("bye", exit=int(pytest.ExitCode.USAGE_ERROR))


@guarded
def go_on(config):
    """The run sees as much as it can; workers of xdist have the options of their controller."""
    config.option.continue_on_collection_errors = True
    if IN_CORNER:
        config.option.maxfail = 0
        config.option.stepwise = False


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    guarded(claim)(config)
    if CLAIMED == [config] and STREAM is not None:
        go_on(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if MUTANTS and CLAIMED == [session.config] and hasattr(os, "fork"):
        try:
            redgreen_mutants.try_all(session, MUTANTS, clean_id, judge, ATTRIBUTE)
        except Exception:
            pass  # What it has not said is tried one by one.
        return True
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    only = ONLY if ONLY is not None else getattr(config, "workerinput", {}).get(ATTRIBUTE)
    if only is None or CLAIMED != [config]:
        return
    only = set(only)
    kept = [item for item in items if clean_id(item.nodeid) in only]
    dropped = [item for item in items if clean_id(item.nodeid) not in only]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept

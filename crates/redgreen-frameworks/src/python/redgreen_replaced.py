"""Notices when the code under test replaces a part of the framework that judges it.

Only looks; nothing is put back. Files of tests may replace what they like: what they are worth is seen
when the tests run as they were before.
"""

import builtins
import os
import unittest

# What assertions are made of.
BUILTINS = ["AssertionError", "isinstance", "issubclass", "bool", "len", "all", "any", "abs", "repr"]
INSTALLED = ("site-packages", "dist-packages")
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
TEST_FOLDERS = {"test", "tests", "testing", "spec", "specs"}


def parts_of(owner, names):
    return [(owner, name, vars(owner)[name]) for name in names if name in vars(owner)]


def methods(owner):
    return [name for name, value in vars(owner).items() if callable(value)]


WATCHED = parts_of(builtins, BUILTINS) + parts_of(unittest.TestCase, methods(unittest.TestCase))
REPORTED = set()


def is_installed(path):
    path = os.path.abspath(path)
    return path.startswith(STANDARD) or any(part in INSTALLED for part in path.split(os.sep))


def is_of_tests(path):
    folders, name = os.path.split(os.path.abspath(path))
    stem = name[:-3] if name.endswith(".py") else name
    return (
        stem == "conftest"
        or stem.startswith("test")
        or stem.endswith(("_test", "_tests"))
        or not TEST_FOLDERS.isdisjoint(folders.split(os.sep))
    )


def place_of(value):
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    return (None, None) if code is None else (code.co_filename, code.co_firstlineno)


def replaced():
    """What has been replaced by code since the last time: name, file and line."""
    found = []
    for owner, name, before in WATCHED:
        now = vars(owner).get(name)
        if now is before or (owner, name) in REPORTED:
            continue
        file, line = place_of(now)
        if file is not None and (file.startswith("<") or is_installed(file) or is_of_tests(file)):
            continue
        REPORTED.add((owner, name))
        found.append(("%s.%s" % (owner.__name__, name), file and os.path.abspath(file), line))
    return found


def tell(write):
    """Writes an error for each of them to the stream."""
    for name, file, line in replaced():
        message = "%s is replaced while the tests run: what passes after that proves nothing" % name
        write("error", kind="runtime_error", type="FrameworkReplaced", message=message, file=file, line=line)

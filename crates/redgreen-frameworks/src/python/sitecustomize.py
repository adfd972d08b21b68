"""Python imports this at its start, because redgreen put it first on PYTHONPATH.

It hands over to the sitecustomize that would have been imported otherwise, has redgreen informed when a
test runner is loaded, and reads the project's own sources instead of bytecode that was kept of them:
that is found by the second and the size of a source, so it may be of another version, or forged.
Programs that never load a runner notice nothing else; what they start is watched as well
(redgreen_children). A shell that sets PYTHONPATH anew, and then starts a program by its path, leaves this
out: that runs as ever, unseen.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


def is_installed(path):
    path = os.path.abspath(path)
    parts = path.split(os.sep)
    return path.startswith(STANDARD) or "site-packages" in parts or "dist-packages" in parts


def is_counted(path):
    """Whether a file may be one whose statements are counted, installed or not: bytecode of it says nothing."""
    collector = getattr(sys.modules.get("redgreen_coverage"), "COLLECTOR", None)
    return collector is not None and os.path.basename(path) in collector.names


def count_what_runs():
    """Has the statements of the changed files counted, in child processes too."""
    folder = os.environ.get("REDGREEN_COVERAGE")
    if folder and os.path.isfile(os.path.join(folder, "asked.txt")):
        import redgreen_coverage

        redgreen_coverage.start(folder)


def watch_what_is_reached():
    """Has the files noticed that are opened and loaded, in child processes too."""
    folder, root = os.environ.get("REDGREEN_REACHED"), os.environ.get("REDGREEN_ROOT")
    if folder and root and os.path.isdir(folder):
        import redgreen_reached

        redgreen_reached.start(folder, root, lambda path: is_installed(path) or path.startswith(HERE))


def keep_no_bytecode():
    import importlib.util  # Takes the function as it is: it is for whoever asks for a name.
    from importlib import _bootstrap_external as importing

    cache_from_source = importing.cache_from_source

    def cached(path, *args, **kwargs):
        if not is_installed(path) or is_counted(path):
            raise NotImplementedError("redgreen: a project's sources are read")
        return cache_from_source(path, *args, **kwargs)

    importing.cache_from_source = cached


def hand_over():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def watch_runner(runner):
    if os.environ.get("REDGREEN_STREAM"):
        import redgreen_unittest

        redgreen_unittest.watch(runner)


def unittest_is_there(module):
    watch_runner(module.TextTestRunner)


def nose2_is_there(module):
    watch_runner(module.PluggableTestRunner)


def pytest_is_there(module):
    """Has pytest load our plugin where it loads those that its environment names."""
    manager = module.PytestPluginManager
    consider = manager.consider_env

    def consider_env(self):
        consider(self)
        # Workers of xdist do not write, and tell what they know to the one that does.
        if os.environ.get("REDGREEN_STREAM") or "PYTEST_XDIST_WORKER" in os.environ:
            try:
                self.import_plugin("redgreen_pytest_plugin")
            except Exception:
                pass

    manager.consider_env = consider_env


def rewriting_is_there(module):
    """pytest keeps bytecode of its own for the tests that it rewrites."""
    read_pyc = module._read_pyc
    module._read_pyc = lambda source, *args, **kwargs: (
        read_pyc(source, *args, **kwargs) if is_installed(str(source)) else None
    )
    # What is not read need not be written, either: it would lie beside the user's files.
    make_folder = module.try_makedirs
    module.try_makedirs = lambda folder: is_installed(str(folder)) and make_folder(folder)
    # It compiles them by itself, too: code that comes as a plugin may be among them.
    rewrite = module.rewrite_asserts
    coverage = sys.modules.get("redgreen_coverage")

    def rewrite_asserts(tree, source, module_path=None, *args, **kwargs):
        try:
            if coverage is not None and module_path:
                coverage.count_in(tree, str(module_path), source)
        except Exception:
            pass
        return rewrite(tree, source, module_path, *args, **kwargs)

    module.rewrite_asserts = rewrite_asserts


def subprocess_is_there(module):
    import redgreen_children

    redgreen_children.watch_subprocess(module)


def watch_what_is_started():
    import redgreen_children

    redgreen_children.watch_os()
    if "subprocess" in sys.modules:
        redgreen_children.watch_subprocess(sys.modules["subprocess"])


# Modules that are waited for.
AWAITED = {
    "unittest.runner": unittest_is_there,
    "nose2.runner": nose2_is_there,
    "_pytest.config": pytest_is_there,
    "_pytest.assertion.rewrite": rewriting_is_there,
    "subprocess": subprocess_is_there,
}


class AwaitedIsLoaded:
    """Found before everything else; finds what would have been found."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        tell = AWAITED.get(name)
        if tell is None:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                tell(module)
            except Exception:
                pass

        try:
            spec.loader.exec_module = exec_module
        except Exception:
            return None
        return spec


sys.meta_path.insert(0, AwaitedIsLoaded)
for prepare in (keep_no_bytecode, watch_what_is_started, count_what_runs, watch_what_is_reached):
    try:
        prepare()
    except Exception:
        pass
if __name__ == "sitecustomize":
    hand_over()

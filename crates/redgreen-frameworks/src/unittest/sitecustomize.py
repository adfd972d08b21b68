"""Python imports this at its start, because redgreen put it first on PYTHONPATH.

It hands over to the sitecustomize that would have been imported otherwise, and makes sure that
redgreen is told when unittest's runner is loaded. Programs that never load it notice nothing.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def hand_over():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class RunnerIsLoaded:
    """Found before everything else; steps aside when it has done its one thing."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "unittest.runner":
            return None
        sys.meta_path.remove(cls)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                import redgreen_unittest

                redgreen_unittest.watch(module)
            except Exception:
                pass

        try:
            spec.loader.exec_module = exec_module
        except Exception:
            pass
        return spec


if os.environ.get("REDGREEN_STREAM"):
    sys.meta_path.insert(0, RunnerIsLoaded)
hand_over()

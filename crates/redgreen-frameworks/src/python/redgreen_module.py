"""In the place of `python -m MODULE` where Python is told to look at no variable (`-I`, `-E`) or to load no
sitecustomize (`-S`): does what Python itself does for `-m`, with redgreen's listener loaded before.
"""


def begin():
    import os
    import sys
    from importlib.util import module_from_spec, spec_from_file_location

    here = os.path.dirname(os.path.abspath(__file__))
    alone = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
    if not alone:
        # Where the folder of a script is, that of the module's user belongs.
        sys.path[0] = os.getcwd()
    sys.path.insert(0 if alone else 1, here)
    # By another name: Python may have loaded one that is called so.
    spec = spec_from_file_location("redgreen_sitecustomize", os.path.join(here, "sitecustomize.py"))
    spec.loader.exec_module(module_from_spec(spec))
    module = sys.argv[1]
    sys.argv[:] = ["-m"] + sys.argv[2:]
    return module


def run(module):
    import runpy

    # What Python calls for `-m`.
    runpy._run_module_as_main(module)


run(begin())

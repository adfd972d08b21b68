"""Keeps redgreen's variables in what a Python program starts.

tox, nox, hatch and scripts of a project's own start its tests with an environment that they put together
themselves. Until a test runner takes the report over, what this process starts has our variables all the
same; from then on nothing has.
"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = [
    "REDGREEN_STREAM",
    "REDGREEN_ONLY",
    "REDGREEN_FOLDER",
    "REDGREEN_CORNER",
    "REDGREEN_COVERAGE",
    "REDGREEN_REACHED",
    "REDGREEN_ROOT",
]
KEPT = {name: os.environ[name] for name in NAMES if name in os.environ}
# Where `subprocess.Popen` takes its environment, when nobody names the argument.
ENV_OF_POPEN = 10


def let_go():
    KEPT.clear()


def with_ours(environment):
    """The environment with what is missing of ours; what was given is left as it is."""
    if "REDGREEN_STREAM" not in KEPT:
        return environment
    given = os.environ if environment is None else environment
    made = {os.fsdecode(name): value for name, value in given.items()}
    path = os.fsdecode(made.get("PYTHONPATH") or "")
    if HERE in path.split(os.pathsep) and all(name in made for name in KEPT):
        return environment
    for name, value in KEPT.items():
        made.setdefault(name, value)
    if HERE not in path.split(os.pathsep):
        made["PYTHONPATH"] = os.pathsep.join([HERE, path]) if path else HERE
    return made


def guarded(environment):
    try:
        return with_ours(environment)
    except Exception:
        return environment


def watch_os():
    """`os.execvpe` and its like come down to these."""

    def watched(function):
        def start(path, argv, env, *args, **kwargs):
            return function(path, argv, guarded(env), *args, **kwargs)

        start.__name__, start.__doc__ = function.__name__, function.__doc__
        return start

    for name in ("execve", "posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            setattr(os, name, watched(getattr(os, name)))


def watch_subprocess(module):
    begin = module.Popen.__init__

    def __init__(self, *args, **kwargs):
        if len(args) > ENV_OF_POPEN:
            args = args[:ENV_OF_POPEN] + (guarded(args[ENV_OF_POPEN]),) + args[ENV_OF_POPEN + 1 :]
        else:
            kwargs["env"] = guarded(kwargs.get("env"))
        begin(self, *args, **kwargs)

    __init__.__wrapped__, __init__.__doc__ = begin, begin.__doc__
    module.Popen.__init__ = __init__

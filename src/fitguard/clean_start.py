# Python skips this line where the user gives it -x.
"""Starts a module of fitguard as `python -m` does, but without code of the current folder.

    python …/fitguard/clean_start.py MODULE ARGUMENTS…

`python -m` looks for modules in the current folder first. A `random.py` there would then run before
anything of ours, and before the user's script, which plain `python train.py` never does.
"""

import sys


def words_to_run(module: str) -> tuple[str, ...]:
    """What stands behind the interpreter and its options, to run a module of fitguard.

    No option such as -P is among them: the script would see it in `sys.flags`, and what it starts
    would inherit it.
    """
    return (__file__, module)


def _run_module() -> None:
    if not sys.flags.safe_path:
        del sys.path[0]  # The folder of this file, which Python itself has put there.
    import runpy

    del sys.argv[0]
    runpy._run_module_as_main(sys.argv[0])  # type: ignore[attr-defined]


if __name__ == "__main__":
    _run_module()

"""What runs on a node that is asked: a command of fitguard, as a child with a time limit."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TypedDict

_VISIBLE = "CUDA_VISIBLE_DEVICES"


class Told(TypedDict):
    """What it wrote, or why there is nothing.

    Plain values: the node may have another version of fitguard.
    """

    fitguard: str
    text: str
    problem: str
    seconds: float


def ask_here(words: Sequence[str], seconds: float) -> Told:
    """Run a command of fitguard on this node.

    Args:
        words: Behind `fitguard`; the answer is what it writes to stdout.
    """
    began = time.monotonic()
    text, problem = _run(words, seconds)
    return Told(
        fitguard=sys.modules["fitguard"].__version__,
        text=text,
        problem=problem,
        seconds=time.monotonic() - began,
    )


def _run(words: Sequence[str], seconds: float) -> tuple[str, str]:
    python = (sys.executable, "-P", "-m")
    tether = (*python, "fitguard.fleet.tether", str(os.getpid()))
    try:
        done = subprocess.run(
            [*tether, *python, "fitguard", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            # Files of a folder that the node happens to be in are none of the question.
            cwd="/",
            env=_list_variables(),
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer after {seconds:g} s"
    except OSError as error:
        return "", f"fitguard could not be started: {error.strerror}"
    text = done.stdout.decode(errors="replace")
    if text.lstrip().startswith("{"):
        return text, ""
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "", f"fitguard failed with exit code {done.returncode}: {said[-1] if said else ''}"


def _list_variables() -> dict[str, str]:
    """Those of the node. Some versions of Ray hide all GPUs from who has asked for none."""
    return {name: value for name, value in os.environ.items() if (name, value) != (_VISIBLE, "")}

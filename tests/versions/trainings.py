"""Starts the scripts of the suite, plainly and guarded, with a Keras by its name."""

import re
from pathlib import Path

from guarded.harness import GuardedRun, run_plain
from guarded.results import difference

SCRIPTS = Path(__file__).parent / "scripts"
KINDS = "arrays,images,sequence"
OFTEN = ("--snapshot-seconds", 0.05)
"""Options of `fitguard run` with which even a short training has something to go on from."""
LONGEST_SECONDS = 900.0
"""Four attempts on a busy machine; TensorFlow 2.16 converts all of tf_keras before a first step."""


def as_package(package):
    """The variables that make a script use this Keras."""
    return {"FITGUARD_KERAS": package}


def as_tensorflow_keras(package):
    """Those that make it use this Keras as `tensorflow.keras`."""
    legacy = {"TF_USE_LEGACY_KERAS": "1"} if package == "tf_keras" else {}
    return {"FITGUARD_KERAS": "tensorflow.keras", **legacy}


def train_plainly(folder, environment, script, *arguments):
    """The file that a script saves without fitguard."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "plain.npz"
    assert_finished(run_plain(SCRIPTS / script, out, *arguments, **environment))
    return out


def wait_finished(run):
    """Until a guarded run is over; it must have got to its end."""
    assert_finished(run.wait(LONGEST_SECONDS))


def guarded(folder, environment, script, *arguments, options=()):
    """A script of the suite under `fitguard run`, not started yet."""
    return GuardedRun(
        folder, SCRIPTS / script, *arguments, options=options, environment=environment
    )


def assert_finished(ended):
    """With the reason in the first line, as a cell of a table has it."""
    assert ended.code == 0, f"{reason_in(ended.text)}\n\n{ended.text}"


def assert_same_bits(plain, out):
    """Of all that two trainings saved."""
    different = difference(plain, out)
    assert not different, f"other bits than plain Keras: {different}"


def reason_in(text):
    """How the attempt ended after which `fitguard run` gave up, or what a process wrote last."""
    ended = re.search(r"^fitguard: (Attempt .*?)\. fitguard stops here", text, re.MULTILINE)
    proofs = re.findall(r"^(?:fitguard: proof: |(?=\w+Error: ))(.*)", text, re.MULTILINE)
    if ended:
        return ": ".join([ended[1], *proofs[-1:]])
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines or ["no word"])[-1]

"""Every signature is found deep inside a long log, whatever stands around its lines."""

import json
from collections.abc import Callable

import pytest
from crash.logs import training

from fitguard.crash.reader import read
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge

RECOGNISER = Recogniser(knowledge().signatures)
ANCHORED = [signature for signature in RECOGNISER.signatures.all if signature.anchors]
WRAPPINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda line: line,
    "windows": lambda line: line + "\r",
    "docker": lambda line: json.dumps({"log": line + "\n", "stream": "stderr"}),
    "notebook": lambda line: "      " + json.dumps(line + "\n", ensure_ascii=False) + ",",
    "ray": lambda line: f"\x1b[36m(train_fn pid=812)\x1b[0m {line}",
    "mpirun": lambda line: f"[1,3]<stderr>:{line}",
    "journald": lambda line: f"Nov 15 04:56:01 host python[812]: {line}",
    "kubernetes": lambda line: f"2024-05-10T11:33:24.068255Z stderr F {line}",
    "progress bar": lambda line: f"1/10 [>....]\r{line}\r2/10 [=>...]",
    "colours": lambda line: f"\x1b[31m{line}\x1b[0m",
}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_every_signature_is_found(name: str) -> None:
    wrap, filler = WRAPPINGS[name], training(250).decode()
    examples = (
        "\n".join(wrap(line) for line in example.split("\n"))
        for signature in ANCHORED
        for example in signature.examples
    )
    log = f"\n{filler}".join(["", *examples, ""])
    found = {signal.name for signal in RECOGNISER.signals(read(log, RECOGNISER.engine).lines)}
    assert {signature.name for signature in ANCHORED} - found == set()

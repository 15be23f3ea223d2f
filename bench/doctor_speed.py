"""How long the doctor takes, as a share of `import tensorflow` in the same run.

    make bench

Rounds are interleaved, so that a busy moment hits all of them; the median of each counts.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 7
BIN = Path(sys.executable).parent
COMMANDS = {
    "import tensorflow": [sys.executable, "-c", "import tensorflow"],
    "fitguard doctor": [str(BIN / "fitguard"), "doctor"],
    "fitguard --help": [str(BIN / "fitguard"), "--help"],
    "facts agent": [sys.executable, str(Path("src/fitguard/facts/agent.py"))],
}
TARGETS = {"fitguard doctor": 0.15, "fitguard --help": 0.20}


def seconds(command: list[str]) -> float:
    """Wall time of one run; findings (exit code 3) are no failure."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=dict(os.environ))
    elapsed = time.perf_counter() - started
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()[-500:]}")
    return elapsed


def main() -> None:
    """Measure, print medians and ratios, exit with 1 where a target is missed."""
    for command in COMMANDS.values():
        seconds(command)  # the file cache is warm for all alike
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS)]
    medians = {name: statistics.median(item[name] for item in rounds) for name in COMMANDS}
    reference = medians["import tensorflow"]
    missed = False
    for name, median in medians.items():
        ratio = median / reference
        target = TARGETS.get(name)
        verdict = ""
        if target is not None:
            missed |= ratio > target
            verdict = f"  target {target:.2f}: {'met' if ratio <= target else 'MISSED'}"
        print(f"{name:20} {median * 1000:7.0f} ms  ratio {ratio:.3f}{verdict}")
    sys.exit(missed)


if __name__ == "__main__":
    main()

"""A million inputs for the readers of foreign files, led by coverage."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fuzz.seeds import SEEDS
from fuzz.targets import TARGETS

TESTS = str(Path(__file__).parents[1])
MOST_BYTES = 16384
SECONDS_EACH = 20
"""For one input: the slowest takes a hundredth of it."""
MEMORY_MIB = 2048
_WORD = re.compile(rb"[\w-]{3,40}")
_EXECUTED = re.compile(rb"stat::number_of_executed_units:\s*(\d+)")


def fuzz(name: str, runs: int, folder: Path) -> int:
    """Feed a target; how many inputs it got."""
    corpus = folder / name
    corpus.mkdir()
    for number, seed in enumerate(SEEDS[name]):
        (corpus / str(number)).write_bytes(seed)
    words = sorted(set(_WORD.findall(b"".join(SEEDS[name]))))
    dictionary = folder / f"{name}.dict"
    dictionary.write_text("".join(f'"{word.decode()}"\n' for word in words))
    done = subprocess.run(
        [
            *(sys.executable, str(Path(__file__).with_name("fuzzer.py")), name, str(corpus)),
            *(f"-runs={runs}", f"-max_len={MOST_BYTES}", f"-timeout={SECONDS_EACH}"),
            *(f"-rss_limit_mb={MEMORY_MIB}", f"-artifact_prefix={folder}/{name}-"),
            *(f"-dict={dictionary}", "-print_final_stats=1"),
        ],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}"},
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-6000:]
    executed = _EXECUTED.search(done.stderr)
    assert executed is not None, done.stderr
    return int(executed[1])


@pytest.mark.soak
def test_a_million_inputs(tmp_path, capsys):
    pytest.importorskip("atheris", reason="`make soak` installs it")
    with ThreadPoolExecutor(2) as pool:
        counts = dict(
            zip(
                TARGETS,
                pool.map(lambda name: fuzz(name, TARGETS[name][1], tmp_path), TARGETS),
                strict=True,
            )
        )
    lines = [f"{count:>9,} inputs  {name}" for name, count in counts.items()]
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *lines, f"{sum(counts.values()):>9,} in all, 0 faults\n"]))
    assert sum(counts.values()) >= 1_000_000

"""What the probes measure beside the data sheet, and how long they take beside one import.

    make bench
    .venv/bin/python bench/probe_rates.py --level medium

On a GPU each rate is printed with its share of the data sheet. On the CPU the quick level is timed
as a multiple of `import tensorflow` in the same run: each probe imports it in a process of its own.
"""

import argparse
import statistics
import subprocess
import sys
import time

from fitguard.probes.probing import run_probes
from fitguard.schema.probe import ProbeReport

IMPORTS = 3


def main() -> None:
    """Run the probes, print, exit with 1 where one failed or a rate is slow."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", choices=("quick", "medium"), default="quick")
    given = parser.parse_args()
    imported = statistics.median(time_import() for _ in range(IMPORTS))
    report = run_probes(level=given.level)
    passed = sum(result.status == "pass" for result in report.results)
    print(
        f"{given.level} on {', '.join(device.label for device in report.devices)}: {passed} probes "
        f"passed in {report.seconds:.0f} s, {report.seconds / imported:.1f} times one import of "
        f"TensorFlow ({imported:.1f} s)"
    )
    print_slowest(report)
    fast = print_rates(report)
    sys.exit(not (report.ok and fast))


def time_import() -> float:
    """Of TensorFlow, in a process of its own."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import tensorflow"], capture_output=True, check=True)
    return time.perf_counter() - started


def print_slowest(report: ProbeReport) -> None:
    """The five that took longest, without the start of Python and TensorFlow."""
    ordered = sorted(report.results, key=lambda result: result.seconds, reverse=True)
    for result in ordered[:5]:
        print(f"  {result.name:24} {result.seconds:6.1f} s  {result.status}")


def print_rates(report: ProbeReport) -> bool:
    """Each with its share of the data sheet; whether none is slow."""
    rates = [(result.device, rate) for result in report.results for rate in result.rates]
    for device, rate in rates:
        sheet = "" if rate.ratio is None else f"  {rate.ratio:5.1%} of {rate.expected:g}"
        print(f"  {device:8} {rate.name:18} {rate.value:9.1f} {rate.unit}{sheet}  {rate.verdict}")
        for reason in rate.reasons:
            print(f"    {reason}")
    return all(rate.verdict != "slow" for _, rate in rates)


if __name__ == "__main__":
    main()

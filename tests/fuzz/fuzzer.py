"""Feeds one target with what libFuzzer makes of its seeds, led by the code that they reach.

python fuzzer.py TARGET OPTIONS-OF-LIBFUZZER…
"""

import sys

import atheris

with atheris.instrument_imports(include=["fitguard", "fuzz", "tomllib"]):
    from fuzz.targets import TARGETS


def main() -> None:
    program, name, *options = sys.argv
    atheris.Setup([program, *options], TARGETS[name][0])
    atheris.Fuzz()


if __name__ == "__main__":
    main()

# -*- coding: utf-8 -*-
"""Runs one probe. Starts in the interpreter that trains, where fitguard need not be installed.

    python main.py '{"probe": "matmul-float32", "answers": FILE, "device": "GPU"}'

It imports TensorFlow, then waits for a line on stdin, so that the next one can get ready while
another computes. What it finds goes to the file, a line of JSON each. It prints nothing of its own.
"""

import json
import os
import sys
import traceback


def main():
    """Import TensorFlow, wait for the word, run the probe."""
    options = json.loads(sys.argv[1])
    die_with_parent()
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[0] = os.path.dirname(here)
    try:
        bench_module = __import__("target.bench", fromlist=["Bench"])
        probe = __import__("target." + _find_module(options), fromlist=["run"])
    finally:
        # No module of ours may shadow another.
        del sys.path[0]
    bench = bench_module.Bench(options)
    try:
        bench.start()
        sys.stdin.readline()
        bench.begin(probe.LIMIT_SECONDS)
        detail = probe.run(bench)
        bench.finish("pass", detail)
    except bench_module.Skip as reason:
        bench.finish("skip", str(reason))
    except bench_module.WrongResult as error:
        # In the log as well: there `explain` finds it.
        sys.stderr.write("fitguard probe %s: wrong result: %s\n" % (options["probe"], error))
        bench.finish("fail", str(error), kind="wrong-result")
    except Exception as error:
        traceback.print_exc()
        text = "%s: %s" % (type(error).__name__, error)
        bench.finish("fail", text, kind="exception")
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of TensorFlow that never end must not keep the answer back.
    os._exit(0)


def _find_module(options):
    """Where the probe is: a file of the catalog, or the one that probes any layer."""
    if "layer" in options:
        return "layer"
    return "catalog." + options["probe"].replace("-", "_")


def die_with_parent():
    """On Linux: who started us may be killed, and a probe that hangs would stay on the GPU."""
    try:
        import ctypes

        kill, on_parents_death = 9, 1
        ctypes.CDLL(None).prctl(on_parents_death, kill)
    except Exception:
        pass


if __name__ == "__main__":
    main()

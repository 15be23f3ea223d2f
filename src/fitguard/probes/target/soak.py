"""Runs a soak. Starts in the interpreter that trains, where fitguard need not be installed.

    python soak.py RUN_FOLDER soak '{"device": "GPU", "seed": 1}'

Exits with 4 when a bit is wrong, with 75 when it was asked to leave, with 130 after Ctrl-C.
"""

import json
import os
import signal
import sys
import traceback

FAILED = 1
WRONG = 4
INTERRUPTED = 130
_NO_LIMIT_SECONDS = 400 * 86400.0


def main():
    """Import TensorFlow, build what is computed, and soak."""
    folder, options = sys.argv[1], json.loads(sys.argv[3])
    told = _take_signals()
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[0] = os.path.dirname(here)
    try:
        names = ("main", "bench", "flips", "run_files", "soaking", "workloads")
        parts = dict((name, __import__("target." + name, fromlist=["main"])) for name in names)
    finally:
        # No module of ours may shadow another.
        del sys.path[0]
    parts["main"].die_with_parent()
    files = parts["run_files"].RunFiles(folder)
    files.listen_for_stacks()
    code = _soak(files, options, told, parts)
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads of TensorFlow that never end must not keep the answer back.
    os._exit(code)


def _soak(files, options, told, parts):
    before = files.read_progress()
    number = before["number"] if before else 0
    # From now on, the parent notices where nothing moves.
    files.beat(number)
    place = parts["run_files"].place
    try:
        seed = before["seed"] if before else options["seed"]
        soak = _build(files, dict(options, seed=seed), told, parts)
        soak.run()
    except parts["soaking"].FoundWrong as error:
        files.tell(
            "failed", kind="system-exit", code=WRONG, error="A bit is wrong: %s." % error,
            place=place(soak.number),
        )  # fmt: skip
        return WRONG
    except Exception as error:
        traceback.print_exc()
        text = "%s: %s" % (type(error).__name__, str(error)[:500])
        files.tell("failed", kind="exception", error=text, place=place(number))
        return FAILED
    return INTERRUPTED if signal.SIGINT in told else parts["run_files"].LEFT_AS_ASKED


def _build(files, options, told, parts):
    # Before TensorFlow 2.8 a variable was the way to ask for it.
    os.environ.setdefault("TF_DETERMINISTIC_OPS", "1")
    flips = parts["flips"].read_flips(options.get("fault"))
    known = dict(options, probe="soak", answers=os.devnull, level="long")
    if flips is not None:
        known["fault"] = ""
    bench = parts["bench"].Bench(known)
    bench.start()
    bench.begin(_NO_LIMIT_SECONDS)
    # It warns of functions that are traced again: ours are, once for each computation.
    bench.tf.get_logger().setLevel("ERROR")
    _ask_for_determinism(bench.tf)
    found, left_out = [], []
    for device in bench.devices:
        built, cannot = parts["workloads"].build_workloads(
            bench, device, options["seed"], options["memory_bytes"], options.get("only", ())
        )
        found += built
        left_out += [(name, device, reason) for name, reason in sorted(cannot.items())]
    return parts["soaking"].Soak(
        bench, found, left_out, _identify(bench, options), files, options["seed"],
        options.get("keep_going", False), flips, lambda: bool(told),
    )  # fmt: skip


def _take_signals():
    """Those that came; the first of each is a wish, the second is obeyed at once."""
    told = []

    def note(number, _):
        if told:
            os._exit(128 + number)
        told.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    return told


def _ask_for_determinism(tf):
    ask = getattr(tf.config.experimental, "enable_op_determinism", None)
    if ask is not None:
        tf.random.set_seed(1)
        ask()


def _identify(bench, options):
    """What must be the same for results to be the same, bit for bit."""
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "tensorflow": bench.tf.__version__, "numpy": bench.np.__version__,
        "python": sys.version.split()[0], "devices": options.get("devices", []),
        "processors": len(affinity(0)) if affinity else 0,
    }  # fmt: skip


if __name__ == "__main__":
    main()

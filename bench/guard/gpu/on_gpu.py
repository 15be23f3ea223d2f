"""Guarded trainings on a real GPU, beside plain ones: `on_gpu.py PHASE …`.

Phases: scarce, limited, exact, dies, taken, notebook, speed, autotuned. See README.md.
"""

import json
import subprocess
import sys
import time
import zlib

from jobs import GROWTH, HERE, WORK, Disturbed, Training, say, together, used_mib
from same import compared

DEEDS = ["kill", "kill", "term", "kill", "kill-parent", "kill"]


class Holding:
    """Another process holds the memory of the GPU, all but so much, for so long."""

    def __init__(self, leave_mib, seconds):
        self.words = [str(leave_mib), str(seconds)]

    def __enter__(self):
        mark = WORK / f"held-{time.time():.0f}"
        words = [sys.executable, str(HERE / "holder.py"), *self.words, str(mark)]
        self.process = subprocess.Popen(words)
        while not mark.exists() and self.process.poll() is None:
            time.sleep(0.1)
        say(holder=self.words, mark=mark.read_text() if mark.exists() else None, used=used_mib())
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        time.sleep(1)


def scarce(leave_mib=6000):
    """XLA, and somebody else holds nearly all memory: planned, then plainly."""
    with Holding(leave_mib, 1800):
        Training("scarce-guarded", "classic.py", guarded=True, limit=600).run()
        Training("scarce-plain", "classic.py", limit=600).run()


def limited(limit_mib=5000):
    """A limit of the script's own: XLA without a plan, and without XLA with the weights."""
    small = ("--limit", limit_mib)
    trainings = [
        Training("limited-xla-guarded", "classic.py", *small, guarded=True, limit=600, env=GROWTH),
        Training("limited-xla-plain", "classic.py", *small, limit=600, env=GROWTH),
    ]
    pairs = []
    for optimizer in ("sgd", "adam"):
        words = ["--graph", "--deterministic", "--optimizer", optimizer]
        whole, guarded = f"{optimizer}-whole", f"{optimizer}-guarded"
        pairs.append((guarded, whole))
        trainings.append(Training(whole, "classic.py", *words, env=GROWTH))
        trainings.append(Training(guarded, "classic.py", *words, *small, guarded=True, env=GROWTH))
    trainings.append(Training("adam-plain", "classic.py", *words, *small, env=GROWTH))
    together(trainings, 7)
    compare(pairs)


def exact():
    """Bits: plain, guarded, and guarded with kills, a SIGTERM and a dead parent."""
    trainings, pairs = [], []
    for mode in ("--xla", "--graph"):
        for kind in ("", "--mixed", "--dataset"):
            words = [word for word in (mode, kind) if word not in ("", "--xla")]
            name = f"exact{mode}{kind}"
            plain = Training(f"{name}-plain", "exact.py", *words, env=GROWTH)
            guarded = Training(f"{name}-guarded", "exact.py", *words, guarded=True, env=GROWTH)
            seed = len(trainings)
            killed = Disturbed(
                f"{name}-killed", "exact.py", *words, deeds=DEEDS, seed=seed, env=GROWTH
            )
            trainings += [killed, plain, guarded]
            pairs += [(guarded.name, plain.name), (killed.name, plain.name)]
    together(trainings, 12)
    compare(pairs)


def dies():
    """A segfault and an illegal access of the GPU; without a guard the first ends it."""
    words = ["--graph", "--dies", "700:segfault", "1500:illegal"]
    plain = Training("dies-not", "exact.py", "--graph", env=GROWTH)
    together([plain, Training("dies", "exact.py", *words, guarded=True, env=GROWTH)], 2)
    compare([("dies", "dies-not")])


def taken():
    """Nearly all is held for a minute, then released."""
    before = used_mib()
    with Holding(400, 50):
        Training("taken", "exact.py", "--graph", "--epochs", 5, guarded=True).run()
    time.sleep(2)
    say(used_before=before, used_after=used_mib())


def notebook():
    Training("notebook", "notebook.py").run()


def speed(seconds=20):
    """Time of a step, of the start and of the end: plain and guarded by turns."""
    for kind, more in (("small", ("--graph",)), ("resnet50", ("--graph",))):
        for guarded in (False, True, True, False):
            name = f"speed-{kind}-{'guarded' if guarded else 'plain'}-{time.time():.0f}"
            one = Training(name, "speed.py", kind, seconds, *more, guarded=guarded)
            row = one.run(quiet=True)
            found = json.loads(one.out.read_text()) if one.out.exists() else {}
            since = {
                key: round(found.get(key, 0) - one.spawned, 2)
                for key in ("began", "imported", "first_step")
            }
            say(speed=name, **since, found=found, snapshots=row.get("snapshots"), used=used_mib())


def autotuned():
    """To the first step with XLA: plainly; guarded, killed and begun again; once more."""
    for kind in ("cnn", "transformer", "lstm"):
        Training(f"autotuned-{kind}-plain", "autotuned.py", kind, limit=600).run(quiet=True)
        rows = {"plain": read_rows(f"autotuned-{kind}-plain")}
        for name, env in (("kept", {}), ("not-kept", {"FITGUARD_KEEP_AUTOTUNING": "0"})):
            one = Training(
                f"autotuned-{kind}-{name}", "autotuned.py", kind, "--dies",
                guarded=True, env=env, limit=900,
            )  # fmt: skip
            first = one.run(quiet=True)
            again = one.run(quiet=True)
            rows[name] = read_rows(one.name)
            files = sorted((one.folder / "runs").glob("*/autotuned/*"))
            sums = {str(path)[-40:]: zlib.crc32(path.read_bytes()) for path in files}
            say(autotuned=name, kind=kind, files=sums, notes=[first["notes"], again["notes"]])
        say(autotuned=kind, rows=rows)


def read_rows(name):
    """What each process told of its first step."""
    text = (WORK / name / ".rows.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    return [{**row, "flags": row["flags"].count("autotune_results")} for row in rows]


def compare(pairs):
    for one, other in pairs:
        say(compare=[one, other], **compared(WORK / one / "out.npz", WORK / other / "out.npz"))


PHASES = {f.__name__: f for f in (scarce, limited, exact, dies, taken, notebook, speed, autotuned)}

if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    for word in sys.argv[1:]:
        began = time.time()
        PHASES[word]()
        say(phase=word, seconds=round(time.time() - began, 1))

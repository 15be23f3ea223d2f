"""Loaded by Python itself in each process of the comparison, before the script, in both ways alike.

Seeds what the script does not seed itself, and writes down at the end what training has left. It
puts itself around `fit` when Keras is loaded whole: outside of all that fitguard has put there.
"""

import atexit
import importlib.util
import os
import random
import sys

SCRIPT = os.environ.get("TRANSPARENT_SCRIPT", "")
SEED = int(os.environ.get("TRANSPARENT_SEED", "0"))
_begun = False


def begin_with_the_script(event, arguments):
    """An audit hook: Python runs a file as the main program, or fitguard runs its code."""
    global _begun
    if _begun or event not in ("cpython.run_file", "exec"):
        return
    name = arguments[0] if event == "cpython.run_file" else arguments[0].co_filename
    if isinstance(name, str) and os.path.abspath(name) == SCRIPT:
        _begun = True
        seed_all()


def seed_all():
    """What fitguard seeds in a run, with a seed that the plain run has too."""
    import numpy

    random.seed(SEED)
    numpy.random.seed(SEED)


class Watcher:
    """A finder that acts on some packages once they are loaded."""

    def __init__(self, then):
        self._then = then
        self._asking = False

    def find_spec(self, name, path=None, target=None):
        if name not in self._then or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking = False
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_act(module):
            load(module)
            self._then[name](module)

        spec.loader.exec_module = load_and_act
        return spec


def tensorflow_loaded(module):
    """Its seed is set only where the script may be compared no other way."""
    if os.environ.get("TRANSPARENT_TENSORFLOW_SEED"):
        module.random.set_seed(SEED)


def keras_loaded(module):
    """Any Keras: remember what it trains; for public examples, have it train little."""
    import transparent_left

    if os.environ.get("TRANSPARENT_ROWS"):
        import transparent_offline

        transparent_offline.arrange(module)
    transparent_left.watch(module)
    if os.environ.get("TRANSPARENT_EVENTS"):
        import transparent_death

        transparent_death.arrange(module)


def leave_report():
    """At the very end: all that fitguard has put into place is gone."""
    if _begun:
        import transparent_left

        transparent_left.write(os.environ["TRANSPARENT_REPORT"])


if SCRIPT:
    sys.addaudithook(begin_with_the_script)
    atexit.register(leave_report)
    sys.meta_path.insert(
        0,
        Watcher({"tensorflow": tensorflow_loaded, "keras": keras_loaded, "tf_keras": keras_loaded}),
    )
    if os.environ.get("TRANSPARENT_ROWS"):
        import transparent_stubs

        transparent_stubs.put()

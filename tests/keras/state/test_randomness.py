"""All global generators draw again what they drew."""

import json
import random
import subprocess
import sys
from typing import Any

import numpy as np

from fitguard.contract.random_state import keeping_random_state
from fitguard.keras.state.randomness import read_random, write_random


def draw() -> list[Any]:
    import keras
    import tensorflow as tf

    return [
        random.gauss(0, 1),
        np.random.randn(),
        tf.data.Dataset.range(9).shuffle(9)._seed2.numpy().tolist(),
        tf.random.get_global_generator().normal([]).numpy().tolist(),
        keras.random.uniform([]).numpy().tolist(),
        sys.modules["tf_keras.src.backend"]._SEED_GENERATOR.generator.random(),
    ]


def seed_all(seed: int) -> None:
    import keras
    import tensorflow as tf
    import tf_keras

    keras.utils.set_random_seed(seed)
    tf_keras.utils.set_random_seed(seed)
    tf.random.set_global_generator(tf.random.Generator.from_seed(seed))


def test_they_draw_the_same_again() -> None:
    with keeping_random_state():
        seed_all(3)
        draw()
        document = json.loads(json.dumps(read_random()))
        first = draw()
        assert document != read_random()
        seed_all(4)

        write_random(document)

        assert document == read_random()
        assert draw() == first
        assert all(a != b for a, b in zip(draw(), first, strict=True))


def test_generators_that_were_not_made_yet() -> None:
    import keras
    import tensorflow as tf

    seeds = sys.modules["keras.src.random.seed_generator"]
    with keeping_random_state():
        keras.utils.clear_session()
        seeds.global_state.set_global_attribute("global_seed_generator", None)
        sys.modules["tensorflow.python.ops.stateful_random_ops"].global_generator = None
        vars(sys.modules["tf_keras.src.backend"]._SEED_GENERATOR).clear()
        random.seed(7)
        document = read_random()
        first = [keras.random.uniform([]).numpy()]
        second = [keras.random.uniform([]).numpy()]
        tf.random.get_global_generator()

        write_random(document)

        # Keras seeds a new one from Python's generator: so does it again.
        assert document["keras"] is None
        assert [keras.random.uniform([]).numpy()] == first
        assert [keras.random.uniform([]).numpy()] == second
        assert document["tensorflow-generator"] is None
        assert document["tf_keras"] is None


def test_they_are_made_where_the_snapshot_has_them() -> None:
    import tensorflow as tf

    with keeping_random_state():
        seed_all(5)
        document, first = read_random(), draw()
        tf.random.set_global_generator(tf.random.Generator.from_seed(8))
        sys.modules["tensorflow.python.ops.stateful_random_ops"].global_generator = None
        vars(sys.modules["tf_keras.src.backend"]._SEED_GENERATOR).clear()

        write_random(document)

        assert draw() == first


def test_nothing_is_imported_for_it() -> None:
    program = (
        "import sys, random, numpy.random\n"
        "from fitguard.keras.state.randomness import read_random, write_random\n"
        "document = read_random()\n"
        "first = random.random()\n"
        "write_random({**document, 'keras': None, 'tensorflow': None, 'tensorflow-seed': 3})\n"
        "assert random.random() == first\n"
        "print(sorted(document), 'tensorflow' in sys.modules, 'keras' in sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert ended.stdout == "['numpy', 'numpy-seeds', 'python'] False False\n", ended.stderr

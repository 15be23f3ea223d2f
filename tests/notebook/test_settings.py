import json
import subprocess
import sys

from fitguard.notebook.settings import read_settings, write_settings

PROGRAM = """
import sys
from fitguard.notebook.settings import read_settings, write_settings
write_settings({settings!r})
import json
print(json.dumps(read_settings()))
"""


def test_another_process_gets_the_same_settings():
    import keras  # noqa: F401

    own_draws = "tf_keras:backend.experimental.is_tf_random_generator_enabled"
    wanted = {
        **{name: value for name, value in read_settings().items() if "tf_keras" not in name},
        "keras:config.dtype_policy": "mixed_bfloat16",
        "keras:config.epsilon": 1e-5,
        "tensorflow:config.threading.get_intra_op_parallelism_threads": 1,
        "deterministic": True,
        # What layers of Keras 2 draw from.
        own_draws: True,
    }
    wanted["visible-gpus"] = []
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(settings=wanted)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert {name: value for name, value in told.items() if name in wanted} == wanted


def test_writing_what_is_set_changes_nothing():
    import keras  # noqa: F401

    before = {name: value for name, value in read_settings().items() if "threading" not in name}
    write_settings(before)
    after = read_settings()
    assert {name: after[name] for name in before} == before

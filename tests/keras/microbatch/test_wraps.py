"""What is put in place for the rest of the process."""

import os
import subprocess
import sys

# Who keeps the module alive until the very end, as TensorFlow does with what it has traced.
ENDS = """
import sys
from fitguard.keras.microbatch import wraps
wraps.install()
sys.kept = wraps
"""


def test_a_process_that_ends_with_it_in_place_says_nothing():
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    ended = subprocess.run(
        [sys.executable, "-c", ENDS], env=quiet, capture_output=True, text=True, check=True
    )
    assert "Exception ignored" not in ended.stderr

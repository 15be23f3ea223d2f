import os
import subprocess
import sys

from fitguard.notebook.kernel_gpu import child_environment, leave_gpu_memory

PROGRAM = """
import os
from fitguard.notebook.kernel_gpu import child_environment, leave_gpu_memory
{before}
leave_gpu_memory()
print(os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH"))
print(child_environment().get("TF_FORCE_GPU_ALLOW_GROWTH"))
"""


def told(before: str) -> list[str]:
    program = [sys.executable, "-c", PROGRAM.format(before=before)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.split()


def test_the_kernel_takes_little_and_the_training_what_the_user_wants():
    assert told("os.environ.pop('TF_FORCE_GPU_ALLOW_GROWTH', None)") == ["true", "None"]


def test_what_the_user_set_stays():
    assert told("os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'false'") == ["false", "false"]


def test_too_late_is_left_alone():
    import tensorflow as tf

    tf.zeros(1)
    before = dict(os.environ)
    leave_gpu_memory()
    assert dict(os.environ) == before == child_environment()
